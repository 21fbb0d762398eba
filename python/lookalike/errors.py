"""What can go wrong. Each exception has the name of its kind in Rust as `kind`."""

__all__ = [
    "CorruptionError",
    "Error",
    "ExistsError",
    "InputError",
    "IoError",
    "MismatchError",
    "ParameterError",
    "RemovalError",
]


class Error(Exception):
    """Anything that Lookalike refuses or that fails."""

    kind: str

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[type["Error"], tuple[str, str]]:
        return type(self), (str(self), self.kind)


class ParameterError(Error, ValueError):
    """A parameter, a recipe or an option makes no sense."""


class InputError(Error):
    """An input, or a record of it, cannot be read."""


class CorruptionError(Error):
    """A file of ours is damaged, or of a later release."""


class MismatchError(Error):
    """Two things do not belong together: recipes, secrets, a run and its inputs."""


class ExistsError(Error):
    """Something is there already, or in use by another process."""


class RemovalError(Error):
    """A job stopped because it would remove more than allowed."""


class IoError(Error, OSError):
    """The system refused."""

    def __init__(self, message: str, kind: str = "Io", errno: int | None = None) -> None:
        OSError.__init__(self, message)
        self.kind = kind
        self.errno = errno

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type["IoError"], tuple[str, str, int | None]]:  # type: ignore[override]
        return type(self), (str(self), self.kind, self.errno)
