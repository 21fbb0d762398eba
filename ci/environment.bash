# For checks to read in: Python packages by name, in an environment of each check's own.
. ci/need.bash

# environment NAME: makes it if it is not there; $environment is its folder, $python its Python.
environment() {
  local packages
  case $1 in
    object_stores) packages=('moto[server,s3]' boto3) ;;
    # The last three read what was annotated.
    oracle) packages=(numpy pyarrow zstandard pandas polars duckdb) ;;
    warc) packages=(warcio brotli pywb) ;;
    server) packages=(schemathesis websocket-client openapi-python-client) ;;
    # The last two are what the package itself needs; datasketch is what a guide compares it with.
    python) packages=('datasketch==2.0.0' datasets mypy pandas polars pytest tqdm numpy pyarrow) ;;
    # pandas 3 is not what PySpark knows.
    spark) packages=('pyspark==4.3.*' 'pandas<3' mypy pytest numpy pyarrow) ;;
    peers) packages=(-r benchmarks/peers/requirements.txt) ;;
    maturin) packages=(maturin) ;;
    release) packages=(maturin ziglang) ;;
    *) echo "environment: there is no \`$1\`" >&2; return 2 ;;
  esac
  environment=${CARGO_TARGET_DIR:-$PWD/target}/environments/$1
  python=$environment/bin/python
  mkdir -p "$environment"
  # `./test` makes them beside what it compiles; a check that is early waits for its own.
  (
    flock 9
    [ "$(cat "$environment/made" 2>/dev/null)" != "${packages[*]}" ] || exit 0
    # Debian has it apart from python3.
    python3 -c 'import ensurepip' 2>/dev/null || install_package python3-venv
    # Joined, because `./test` goes on after an error: half an environment must not count as made.
    python3 -m venv --clear "$environment" &&
      "$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" &&
      echo "${packages[*]}" >"$environment/made"
  ) 9>"$environment.lock"
}

# install_module: the Python package into $environment, with the native part as the other programs are
# built. The wheel itself is tested by ci/wheel.sh.
install_module() {
  local packages
  packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
  rm -rf "$packages/lookalike"
  cp -r python/lookalike "$packages/lookalike"
  cp "${CARGO_TARGET_DIR:-$PWD/target}/debug/lib_native.so" "$packages/lookalike/_native.abi3.so"
}
