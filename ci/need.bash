# For checks to read in: commands of Debian's packages, installed by name where they are missing.

need() { # COMMAND DEBIAN-PACKAGE
  command -v "$1" >/dev/null && return
  echo "installing $2 for $1"
  { apt-get update -qq && apt-get install -y -qq "$2"; } >/dev/null || {
    echo "\`$1\` is missing and $2 cannot be installed; install it and try again" >&2
    exit 2
  }
}
