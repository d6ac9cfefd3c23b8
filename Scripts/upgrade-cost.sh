#!/usr/bin/env bash
# Counts the instructions of reading an old object through a fused chain of fifty operations, and of
# reading a current one; fails when the first is more than LIMIT times the second.
#
#   Scripts/upgrade-cost.sh [LIMIT]
set -euo pipefail
# What fails in a substitution ends the script, too.
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
limit=${1:-1.5}
if ! command -v valgrind >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq || true
  apt-get install -y -qq --no-install-recommends valgrind >/dev/null || true
fi
if ! command -v valgrind >/dev/null; then
  echo "SKIPPED: valgrind is missing"
  exit 0
fi
swift build -c release --product logstore-histories

# Without debugging sections, which valgrind may not know how to read.
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
strip --strip-debug -o "$tool" .build/release/logstore-histories
chmod +x "$tool"

# instructions KIND COUNT: of a whole run.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$tool" read "$1" "$2" 2>&1 | awk '/Collected/ { print $NF }'
}

# What a run with no reads costs is taken off.
per_read() {
  local none some
  none=$(instructions "$1" 0)
  some=$(instructions "$1" 5000)
  echo $(((some - none) / 5000))
}

current=$(per_read current)
old=$(per_read old)
# A tool that fails costs nothing, too.
"$tool" read current 1 >/dev/null
"$tool" read old 1 >/dev/null
if [ "$current" -le 0 ] || [ "$old" -le "$((current / 2))" ]; then
  echo "valgrind counted $current and $old: the tool did not do its work" >&2
  exit 1
fi
awk -v old="$old" -v current="$current" -v limit="$limit" 'BEGIN {
  printf "a current object: %d instructions; one fifty operations old: %d, %.2f times\n",
    current, old, old / current
  exit old > limit * current
}'
