# For tests of object stores, to be read in by a check: an S3-compatible server on this machine that
# ends with the check, and what the tests need to know of it.
work=$PWD/target/object_stores
. ci/environment.bash
environment object_stores
mkdir -p "$work"

port=$("$python" -c 'import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])')
export MOTO_RECORDER_FILEPATH=$work/requests MOTO_ENABLE_RECORDING=1
rm -f "$MOTO_RECORDER_FILEPATH"
"$environment/bin/moto_server" -H 127.0.0.1 -p "$port" >"$work/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  "$python" -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null && break
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.2
done

# Keys that belong to nobody; and for the other stores a port where nobody listens.
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ALLOW_HTTP=true AWS_DEFAULT_REGION=us-east-1
export AWS_ACCESS_KEY_ID=nobody AWS_SECRET_ACCESS_KEY=nothing
export AZURE_STORAGE_USE_EMULATOR=true AZURITE_BLOB_STORAGE_URL=http://127.0.0.1:1
export GOOGLE_BASE_URL=http://127.0.0.1:1 GOOGLE_SKIP_SIGNATURE=true GOOGLE_ALLOW_HTTP=true
export OBJECT_STORES_PYTHON=$python
