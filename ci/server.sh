#!/usr/bin/env bash
# The service holds what its description promises, whatever it is sent; the guide's examples print
# what it shows; clients can be made of the description; and the page shows what it should:
# schemathesis against /openapi.json, curl, openapi-python-client, and a browser that is driven
# through every view; and so is the page to judge pairs on, which shows hostile pages and lets them do
# nothing. Pictures of the pages are left in target/server/.
set -eu
. ci/need.bash
need chromium chromium
need curl curl
. ci/everything.bash
build_programs
target=${CARGO_TARGET_DIR:-target}
out=$target/server
. ci/environment.bash
environment server
mkdir -p "$out"

folder=$(mktemp -d)
servers=()
stop() {
  for server in "${servers[@]}"; do
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap stop EXIT

# Starts a server of this name; its address is in $url.
serve() { # NAME FLAGS...
  local name=$1
  shift
  "$target/debug/lookalike" serve "$folder/$name" --create --listen 127.0.0.1:0 "$@" \
    2> "$folder/$name.log" &
  servers+=($!)
  for _ in $(seq 400); do
    url=$(grep -om1 'http://[0-9.:]*' "$folder/$name.log" || true)
    [ -z "$url" ] || return 0
    sleep 0.05
  done
  cat "$folder/$name.log"
  return 1
}

serve guide
python3 ci/server_guide.py docs/guide/server.md "$url"

echo 'a-token-for-this-test-only' > "$folder/token"
chmod 600 "$folder/token"
serve promises --token-file "$folder/token"
# All checks. The seed is fixed: a check that fails on some days only is no check.
PYTHONPATH=ci SCHEMATHESIS_HOOKS=server_hooks \
  "$environment/bin/st" --config-file ci/schemathesis.toml run "$url/openapi.json" \
  --header "Authorization: Bearer $(cat "$folder/token")" \
  --max-examples 40 --seed 1 --no-color \
  > "$out/schemathesis.txt" || { tail -150 "$out/schemathesis.txt"; exit 1; }
if grep '"status":5' "$folder/promises.log"; then
  exit 1
fi
tail -7 "$out/schemathesis.txt"

# A client made of the description has every route, without a warning, and the server understands it.
PATH=$environment/bin:$PATH openapi-python-client generate --fail-on-warning \
  --path docs/openapi.json --output-path "$folder/generated"
serve client --token-file "$folder/token"
"$python" ci/server_client.py "$folder/generated" docs/openapi.json "$url" "$folder/token"

"$python" ci/server_page.py "$target/debug/lookalike" "$out"
"$python" ci/judge_page.py "$target/debug/lookalike" "$out"
