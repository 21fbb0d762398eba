# For checks to read in: Python packages by name, in an environment of their own.

# venv FOLDER PACKAGE...
venv() {
  local folder=$1
  shift
  if ! [ -x "$folder/bin/pip" ]; then
    # Debian has it apart from python3.
    python3 -c 'import ensurepip' 2>/dev/null || apt-get install -y -qq python3-venv >/dev/null
    python3 -m venv "$folder"
  fi
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}
