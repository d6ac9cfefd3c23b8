#!/usr/bin/env bash
# The whole story on real input: objects are written under schema version 0, the data model changes
# three times, and the store opens at once under version 3. Every claim is measured here, and the
# script fails when one does not hold.
set -euo pipefail
cd "$(dirname "$0")/.."

directory=.build/demo
example=Examples/PackageCatalogue
failures=0

title() { printf '\n\033[1m%s\033[0m\n' "$1"; }
say() { printf '  %s\n' "$1"; }
# claim TEXT COMMAND...: the command tells whether the text is true.
claim() {
  local text=$1
  shift
  if "$@"; then say "holds: $text"; else say "FAILS: $text"; failures=$((failures + 1)); fi
}
# number NAME: the first number of that name in a JSON report on standard input.
number() { grep -o "\"$1\":[-0-9.e+]*" | head -n 1 | cut -d : -f 2; }
calculate() { awk "BEGIN { printf \"$1\", $2 }"; }
is_true() { awk "BEGIN { exit !($1) }"; }
grouped() { printf "%s" "$1" | sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta'; }
mebibytes() { calculate "%.1f MiB" "$1 / 1048576"; }
hashes() { (cd "$1" && sha256sum -- *); }
# The history up to version N; the file keeps each version between lines with four spaces.
history_until() {
  awk -v last="$1" '
    /^  "versions": \[/ { inside = 1; print; next }
    /^  \]/ { inside = 0 }
    inside && /^    \{$/ { number++; if (number > 1 && number <= last) print "    ," }
    inside && number > last { next }
    inside && /^    \},?$/ { print "    }"; next }
    { print }' "$example/history.json"
}
# The members of an object that say most, one a line.
essence() {
  sed -e 's/,"/\n"/g' -e 's/^{//' -e 's/}$//' \
    | grep -E '^"(Package|Version|Maintainer|MaintainerName|MaintainerEmail|Installed-Size|InstalledKilobytes|IsPinned)":' \
    | sed 's/^/    /'
}
histogram() { "$logstore" stats "$1" | awk '/^Type / { on = 1 } on && NF == 0 { exit } on' | sed 's/^/    /'; }

title "Build"
Scripts/install-dependencies.sh
swift build -c release --product logstore 2>&1 | tail -n 1
swift build -c release --product PackageCatalogue 2>&1 | tail -n 1
binaries=$(swift build -c release --show-bin-path)
logstore=$binaries/logstore
rm -rf "$directory"
mkdir -p "$directory"
started=$SECONDS

title "The input: this machine's package catalogue"
input=$directory/packages.jsonl
catalogue() {
  if command -v apt-cache >/dev/null && [ -n "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ]; then
    apt-cache dumpavail
  else
    cat "$example/sample-packages.txt"
  fi
}
if command -v apt-get >/dev/null && [ -z "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ] \
  && [ "$(id -u)" -eq 0 ]; then
  say "The catalogue is empty; fetching it with apt-get update."
  apt-get update -qq || say "That failed; a small sample takes its place."
fi
if ! command -v apt-cache >/dev/null || [ -z "$(apt-cache dumpavail 2>/dev/null | head -c 1)" ]; then
  say "There is no catalogue on this machine: the sample of the repository takes its place."
fi
catalogue | "$binaries/PackageCatalogue" --unique --fields-of "$example/history.json" >"$input"
packages=$(wc -l <"$input")
input_bytes=$(wc -c <"$input")
say "$(grouped "$packages") packages, $(mebibytes "$input_bytes") as JSON lines"
for version in 0 1 2 3; do history_until $version >"$directory/history-$version.json"; done
v0=$directory/history-0.json
v3=$directory/history-3.json

title "Version 0: every field is text"
store=$directory/store
report=$("$logstore" import "$store" --type Package --key Package --history "$v0" --json "$input")
rate=$(number objectsPerSecond <<<"$report")
stored_bytes=$("$logstore" stats "$store" --json | number fileBytes)
say "Imported in $(calculate "%.1f s" "$(number seconds <<<"$report")"): $(grouped "$rate") objects/s, every 1,000 of them durable before the next"
say "On disk $(mebibytes "$stored_bytes"): $(calculate "%.0f" "100 * $stored_bytes / $input_bytes") % of the input, checksums and index included"
claim "all packages of the input are in the store" \
  [ "$("$logstore" stats "$store" --json | number objects)" -eq "$packages" ]
before=$(hashes "$store")

title "The model changed three times; the store opens at once under version 3"
say "v1 splits Maintainer into a name and an address, and removes it"
say "v2 makes Installed-Size an integer and calls it InstalledKilobytes"
say "v3 adds IsPinned with a default, and reintroduces a Maintainer that starts empty"
# 31 rounds of 21 openings under each version, one right after the other; the ratio told is the middle
# one of those of the rounds. What a busy machine adds reaches both openings of a round or makes an
# outlier of it, where the fastest round of each version may come from different minutes.
opening_medians() {
  local round
  for ((round = 0; round < 31; round++)); do
    printf '%s %s\n' "$(opening_median 0)" "$(opening_median 3)"
  done
}
opening_median() {
  "$logstore" stats "$store" --history "$directory/history-$1.json" --opens 21 --json | number openSeconds
}
opening_medians >"$directory/openings.txt"
# middle EXPRESSION: the median over the rounds, which have version 0 as $1 and version 3 as $2.
middle() { awk "{ print $1 }" "$directory/openings.txt" | sort -g | sed -n 16p; }
ratio=$(calculate "%.2f" "$(middle '$2 / $1')")
say "Opening under version 0 takes $(calculate "%.2f ms" "$(middle '$1 * 1000')"), under version 3 $(calculate "%.2f ms" "$(middle '$2 * 1000')"): $ratio times (medians of 31 rounds)"
claim "opening under version 3 takes at most 1.2 times as long" is_true "$ratio <= 1.2"
claim "opening replays no record" \
  [ "$("$logstore" stats "$store" --history "$v3" --json | number replayedRecords)" -eq 0 ]

title "A package as it is stored, and as it is read under version 3"
name=$(head -n 1 "$input" | sed -n 's/.*"Package":"\([^"]*\)".*/\1/p')
"$logstore" get "$store" Package "$name" | essence
printf '    --\n'
"$logstore" get "$store" Package "$name" --history "$v3" | essence
lazy=$directory/lazy.jsonl
dump_start=$(date +%s.%N)
"$logstore" dump "$store" --type Package --history "$v3" >"$lazy"
dump_seconds=$(calculate "%.1f" "$(date +%s.%N) - $dump_start")
say "All $(grouped "$(wc -l <"$lazy")") packages, upgraded while they are read, were dumped in $dump_seconds s"
claim "every package reads in the new shape" \
  [ "$(grep -c '"InstalledKilobytes":.*"IsPinned":false.*"Maintainer":null,' "$lazy")" -eq "$packages" ]
claim "opening and reading changed no byte of any file" [ "$before" = "$(hashes "$store")" ]

title "compact makes it permanent"
cp -R "$store" "$directory/patient"
say "Before:"
histogram "$store"
report=$("$logstore" compact "$store" --history "$v3" --json)
say "Compacted in $(calculate "%.1f s" "$(number seconds <<<"$report")"): $(grouped "$(number upgraded <<<"$report")") upgraded, $(number failed <<<"$report") failed; $(mebibytes "$(number bytesBefore <<<"$report")") before, $(mebibytes "$(number bytesAfter <<<"$report")") after"
say "After:"
histogram "$store"
claim "no record of version 0 is left" \
  [ "$("$logstore" stats "$store" --json | number oldestStoredVersion)" -eq 3 ]

title "Two users: one skips from version 0 to 3, one takes every step"
for version in 1 2 3; do
  upgraded=$("$logstore" compact "$directory/patient" --history "$directory/history-$version.json" --json | number upgraded)
  say "The patient user installs version $version: $(grouped "$upgraded") records upgraded"
done
"$logstore" dump "$store" --type Package >"$directory/skipping.jsonl"
"$logstore" dump "$directory/patient" --type Package >"$directory/stepping.jsonl"
claim "both end with the same objects, to the byte" \
  cmp -s "$directory/skipping.jsonl" "$directory/stepping.jsonl"
claim "they are those that were read before anything was rewritten" \
  cmp -s "$directory/skipping.jsonl" "$lazy"

title "verify reads every byte"
for checked in "$store" "$directory/patient"; do
  verified=true
  text=$("$logstore" verify "$checked") || verified=false
  printf '%s\n' "$text" | sed 's/^/  /'
  claim "verify finds nothing wrong" $verified
done

printf '\n'
if [ "$failures" -gt 0 ]; then
  echo "$failures claims FAILED."
  exit 1
fi
echo "Every claim holds ($((SECONDS - started)) s after the build). The stores are in $directory."
