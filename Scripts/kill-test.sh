#!/usr/bin/env bash
# Kills `logstore import --ack` at random moments and checks after each kill that the store verifies,
# that it holds at least what was acknowledged, and that it is a prefix of the input.
#
#   Scripts/kill-test.sh [KILLS] [SEED]          200 kills by default; a seed repeats their moments
#   Scripts/kill-test.sh compact [KILLS] [SEED]  kills `logstore compact` instead, while it upgrades,
#                                                drops records and makes dictionaries
set -euo pipefail
cd "$(dirname "$0")/.."

mode=import
if [ "${1:-}" = compact ]; then
  mode=compact
  shift
fi
kills=${1:-200}
seed=${2:-$$}
RANDOM=$seed
tool=${LOGSTORE:-.build/release/logstore}
[ -x "$tool" ] || { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
input=$work/input.jsonl
seq 1 60000 | awk '{ printf "{\"id\":\"%08d\",\"text\":\"line %d of the input, and some more of it: %d\"}\n", $1, $1, $1 * 7919 }' >"$input"
cat >"$work/history.json" <<'JSON'
{
  "format": 1,
  "base": {
    "version": 0,
    "types": [
      { "name": "Line", "key": "id", "members": [
        { "name": "id", "type": "string" },
        { "name": "text", "type": "string" } ] } ]
  },
  "versions": []
}
JSON

fail() { echo "FAILED after $1 kills with seed $seed: $2" >&2; exit 1; }

# A compaction that upgrades every record, drops some, which leaves tombstones, and makes
# dictionaries, is killed at random moments; then the next one of the same store, and so on. After
# each kill the store verifies and shows what it did before; the last run finishes, and leaves
# nothing to do.
compact_kills() {
  local done_count=0 finished=0 length moment pid
  awk '{ sub(/line/, "line again"); if (NR % 3 == 0) print }' "$input" >"$work/again.jsonl"
  cat >"$work/upgrade.json" <<'JSON'
{
  "format": 1,
  "base": {
    "version": 0,
    "types": [
      { "name": "Line", "key": "id", "members": [
        { "name": "id", "type": "string" },
        { "name": "text", "type": "string" } ] } ]
  },
  "versions": [
    { "version": 1, "changes": [
      { "on": "Line", "operations": [
        { "dropRecords": { "expression": { "isEqual": [
          { "orElse": {
            "of": { "textAfter": { "of": { "member": "text" }, "separator": "0 of the" } },
            "else": { "constant": { "type": "string", "value": "" } } } },
          { "textAfter": { "of": { "member": "text" }, "separator": " of the" } } ] } } },
        { "add": "rank", "type": "int64", "default": 7 } ] } ] }
  ]
}
JSON
  head -n 20000 "$input" >"$work/first.jsonl"
  head -n 6000 "$work/again.jsonl" >"$work/second.jsonl"
  for file in first second; do
    "$tool" import "$work/base" --type Line --key id --history "$work/history.json" \
      "$work/$file.jsonl" >/dev/null 2>"$work/errors" || fail 0 "$(cat "$work/errors")"
  done
  "$tool" dump "$work/base" --type Line --history "$work/upgrade.json" >"$work/expected"
  cp -r "$work/base" "$work/store"
  length=$(date +%s%N)
  "$tool" compact "$work/store" --history "$work/upgrade.json" >/dev/null 2>&1 ||
    fail 0 "a compaction that nobody kills fails"
  length=$((($(date +%s%N) - length) / 1000000))
  while [ "$done_count" -lt "$kills" ]; do
    rm -rf "$work/store"
    cp -r "$work/base" "$work/store"
    for _ in 1 2 3 4 5; do
      [ "$done_count" -lt "$kills" ] || break
      "$tool" compact "$work/store" --history "$work/upgrade.json" >/dev/null 2>&1 &
      pid=$!
      moment=$((RANDOM % (length + 1)))
      sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
      kill -KILL "$pid" 2>/dev/null || true
      # One that was faster does not count; machines are not equally fast all the time.
      if wait "$pid" 2>/dev/null; then
        finished=$((finished + 1))
        length=$((length * 9 / 10 + 1))
        break
      fi
      length=$((length * 21 / 20 + 1))
      done_count=$((done_count + 1))
      check_compacted "$done_count"
    done
    "$tool" compact "$work/store" --history "$work/upgrade.json" >"$work/out" 2>&1 ||
      fail "$done_count" "the run after the kills: $(cat "$work/out")"
    check_compacted "$done_count"
    check_finished "$done_count"
  done
  echo "$done_count kills of a compaction with seed $seed, and $finished runs that were faster:" \
    "nothing was lost, nothing came back, and each next run finished"
}

check_compacted() {
  "$tool" verify "$work/store" >"$work/verify" 2>&1 || fail "$1" "verify: $(cat "$work/verify")"
  "$tool" dump "$work/store" --type Line --history "$work/upgrade.json" >"$work/dump" \
    2>"$work/errors" || fail "$1" "dump: $(cat "$work/errors")"
  cmp -s "$work/expected" "$work/dump" || fail "$1" "the store shows something else than before"
}

# A compaction that finished has upgraded each record that is left and compressed it with a dictionary,
# dropped the others, and leaves nothing that is dead, however often it was killed before.
check_finished() {
  "$tool" stats "$work/store" --json >"$work/stats" 2>&1 || fail "$1" "stats: $(cat "$work/stats")"
  local part
  for part in '"deadRecords":0,' '"oldestStoredVersion":1,' '"objects":18000,"type":"Line","version":1' \
    '"newest":true,'; do
    grep -qF "$part" "$work/stats" || fail "$1" "no $part after a whole run: $(cat "$work/stats")"
  done
  ! grep -qF '"version":0}' "$work/stats" || fail "$1" "old records are left: $(cat "$work/stats")"
}

if [ "$mode" = compact ]; then
  compact_kills
  exit 0
fi

done_count=0
acknowledged_total=0
while [ "$done_count" -lt "$kills" ]; do
  rm -rf "$work/store"
  held=0
  # Several kills of one store: each recovers what the last one left and goes on from there.
  for _ in 1 2 3 4 5; do
    tail -n "+$((held + 1))" "$input" >"$work/rest.jsonl"
    # Drawn here: a job and a substitution are shells of their own, with numbers of their own.
    batch=$((1 + RANDOM % 40))
    moment=$((RANDOM % 250))
    "$tool" import "$work/store" --type Line --key id --history "$work/history.json" \
      --batch "$batch" --ack "$work/rest.jsonl" >"$work/acks" 2>"$work/errors" &
    pid=$!
    sleep "0.$(printf '%03d' "$moment")"
    kill -KILL "$pid" 2>/dev/null || true
    status=0
    wait "$pid" 2>/dev/null || status=$?
    done_count=$((done_count + 1))
    # Killed, or faster than the kill; an import that fails by itself proves nothing.
    [ "$status" -eq 137 ] || [ "$status" -eq 0 ] ||
      fail "$done_count" "import ended with status $status: $(cat "$work/errors")"
    # The last line may have been cut by the kill: only whole lines count.
    acknowledged=$(grep -aE '^ACK [0-9]+$' "$work/acks" | tail -n 1 | cut -d' ' -f2 || true)
    acknowledged=$((held + ${acknowledged:-0}))
    if [ ! -e "$work/store/MANIFEST" ]; then
      [ "$acknowledged" -eq 0 ] || fail "$done_count" "$acknowledged acknowledged, no store"
      continue
    fi
    "$tool" verify "$work/store" >"$work/verify" 2>&1 ||
      fail "$done_count" "verify: $(cat "$work/verify")"
    if "$tool" dump "$work/store" --type Line >"$work/dump" 2>"$work/errors"; then
      held=$(wc -l <"$work/dump")
    else
      # Killed before the type's first commit.
      held=0
      : >"$work/dump"
    fi
    [ "$held" -ge "$acknowledged" ] || fail "$done_count" "$acknowledged acknowledged, $held held"
    head -n "$held" "$input" | cmp -s - "$work/dump" ||
      fail "$done_count" "the dump of $held lines is not a prefix of the input"
    acknowledged_total=$((acknowledged_total + acknowledged))
    [ "$done_count" -lt "$kills" ] || break
  done
done
[ "$acknowledged_total" -gt 0 ] || fail "$done_count" "no import acknowledged anything"
echo "$done_count kills with seed $seed: nothing acknowledged was lost," \
  "$acknowledged_total lines acknowledged in all"
