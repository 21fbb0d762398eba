"""The command `lookalike`, also as `python -m lookalike`."""

import signal
import sys

from ._native import run_command


def main() -> int:
    """Does what the command line says; the exit code."""
    # Python's own handler only makes a note, for code that would look at it after the command. A
    # process that was told to ignore Ctrl-C goes on doing so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
