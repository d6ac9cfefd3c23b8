#!/usr/bin/env bash
# Counts the instructions of reading an old object through a fused chain of fifty operations, and of
# reading a current one; fails when the first is more than LIMIT times the second. Then those of
# opening a store and reading an old object as the first thing of a process, most of which are types
# and conformances that the runtime makes and looks for; fails when they are more than FIRST.
#
#   Scripts/upgrade-cost.sh [LIMIT [FIRST]]
set -euo pipefail
# What fails in a substitution ends the script, too.
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
limit=${1:-1.5}
first_limit=${2:-7300000}
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
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tool=$folder/tool
strip --strip-debug -o "$tool" .build/release/logstore-histories
chmod +x "$tool"

# instructions ARGUMENT...: of a whole run.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$tool" "$@" 2>&1 | awk '/Collected/ { print $NF }'
}

# What a run with no reads costs is taken off.
per_read() {
  local none some
  none=$(instructions read "$1" 0)
  some=$(instructions read "$1" 5000)
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

"$tool" first make "$folder/store"
"$tool" first read "$folder/store" >/dev/null
none=$(instructions first nothing "$folder/store")
first=$(($(instructions first read "$folder/store") - none))
if [ "$first" -le 1000000 ]; then
  echo "valgrind counted $first for a first read: the tool did not do its work" >&2
  exit 1
fi
echo "the first read of a process: $first instructions, at most $first_limit"
[ "$first" -le "$first_limit" ]
