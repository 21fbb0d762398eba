#!/usr/bin/env bash
# What Lookalike says, recomputed in plain Python that shares no code with it: the tokens and fingerprints of
# the golden vectors; and of whole runs, that everything removed resembles something kept, that everything
# else is there byte for byte, and that all scores and counts are right. On the example corpus, and on
# corpora of chains, templates and copies. And that what was cut of documents stands elsewhere, and that other tools
# read what is added to records, and add up what is counted.
set -eu
. ci/everything.bash
. ci/environment.bash
build_programs
target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/oracle
environment oracle
lookalike=$target/debug/lookalike
peers=$PWD/benchmarks/peers

echo '--- the checker itself'
"$python" "$peers/check_run.py" --self-test
echo '--- golden vectors'
"$python" "$peers/check_golden.py" tests/fixtures/golden/v1.json

rm -rf "$out/corpora" "$out/runs"
mkdir -p "$out/runs"
"$python" ci/oracle_corpora.py "$out/corpora"

# checked NAME INPUT OPTION...: a run, and what the oracle says of it.
checked() {
  local name=$1 input=$2 run=$out/runs/$1 code=0
  shift 2
  echo "--- $name: $*"
  "$lookalike" dedup "$input" --out "$run" --progress never "$@" >/dev/null || code=$?
  # Some of the records are none.
  [ "$code" = 0 ] || [ "$code" = 3 ]
  "$python" "$peers/check_run.py" "$input" --run "$run"
  # A run that removes nothing shows nothing.
  "$python" - "$run" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1] + "/report.json"))
assert report["near_removed"] > 0, "no near-duplicate was removed"
assert report["kept"] > report["documents"] // 20, "nearly everything was removed"
PYTHON
}

checked example examples/corpus
checked example-longest examples/corpus --keep longest --threshold 0.6
for corpus in chains templates copies; do
  checked "$corpus" "$out/corpora/$corpus"
  checked "$corpus-longest" "$out/corpora/$corpus" --keep longest --threads 1
  checked "$corpus-loose" "$out/corpora/$corpus" --threshold 0.6 --keep max:n --pairs all --memory 128MiB
done

echo '--- an oracle that sees: components hand being alike on, so that ends of chains go'
"$lookalike" dedup "$out/corpora/chains" --out "$out/runs/joined" --progress never --cluster components >/dev/null ||
  [ $? = 3 ]
if "$python" "$peers/check_run.py" "$out/corpora/chains" --run "$out/runs/joined" >"$out/joined.txt"; then
  echo 'the oracle finds nothing wrong where documents went for others that do not resemble them' >&2
  exit 1
fi
grep 'removed documents resemble their keepers.*WRONG' "$out/joined.txt"

echo '--- passages: each word that is cut stands elsewhere in what is kept'
for unit in words lines sentences paragraphs; do
  for least in 8 50; do
    run=$out/runs/passages-$unit-$least
    "$lookalike" passages examples/corpus --out "$run" --quiet --cut "$unit" --min-words "$least"
    "$python" ci/passages.py examples/corpus "$run" --min-words "$least"
  done
done
"$lookalike" dedup examples/corpus --passages --keep longest --out "$out/runs/both" --quiet
# What a keeper has is taken away.
gzip -dc "$run/kept/pages.jsonl.gz" | head -n 20 | gzip >"$run/fewer.gz"
mv "$run/fewer.gz" "$run/kept/pages.jsonl.gz"
if "$python" ci/passages.py examples/corpus "$run" --min-words 50 2>"$out/fewer.txt"; then
  echo 'the checker finds nothing wrong where documents are missing' >&2
  exit 1
fi
grep 'is not the text without its cuts' "$out/fewer.txt"

echo '--- annotations: other tools read them in every format'
rm -rf "$out/annotated"
"$python" ci/annotated.py "$lookalike" "$out/annotated"

echo '--- counts: over a chain of runs they are those of one job'
rm -rf "$out/crawls"
"$python" ci/crawls.py "$lookalike" "$out/crawls"
