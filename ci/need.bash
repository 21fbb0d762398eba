# For checks to read in: commands of Debian's packages, installed by name where they are missing.

# install_package DEBIAN-PACKAGE. One at a time: apt waits for nobody.
install_package() {
  (
    flock 7
    apt-get update -qq && apt-get install -y -qq "$1"
  ) 7>"${TMPDIR:-/tmp}/lookalike-packages.lock" >/dev/null
}

need() { # COMMAND DEBIAN-PACKAGE
  command -v "$1" >/dev/null && return
  echo "installing $2 for $1"
  install_package "$2" || {
    echo "\`$1\` is missing and $2 cannot be installed; install it and try again" >&2
    exit 2
  }
}
