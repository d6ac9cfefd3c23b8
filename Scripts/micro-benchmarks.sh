#!/usr/bin/env bash
# Measures the parts that every operation is made of, by processor time.
#
#   Scripts/micro-benchmarks.sh [arguments]    prints them; arguments such as --filter NAME
#   Scripts/micro-benchmarks.sh check          fails when one became slow
#   Scripts/micro-benchmarks.sh record         makes what was measured the new thresholds
#
# Machines differ, so thresholds are multiples of a yardstick that is measured in the same run, the
# checksum of 4 KiB, and a part may take three times its threshold: machines that
# are shared measure that roughly. What is too slow is measured a second time before it counts.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"

thresholds=Thresholds/Micro.tsv
yardstick="XXH64 of 4 KiB"
headroom=3

# A build of its own, in which the benchmarks may look inside the modules they measure.
micro() {
  swift package --scratch-path .build-micro -Xswiftc -enable-testing \
    benchmark run "$@" --target Micro --no-progress
}

# Prints each part and what it takes, in yardsticks.
measured() {
  local folder
  folder=$(mktemp -d)
  micro --format jsonSmallerIsBetter --path stdout --quiet >"$folder/figures"
  # One figure a line; the order of its members is not fixed.
  tr -d '\n' <"$folder/figures" | tr '}' '\n' | awk -v yardstick="$yardstick" '
    match($0, /"name"[^"]*"[^"]*"/) {
      name = substr($0, RSTART, RLENGTH)
      sub(/"name"[^"]*"/, "", name); sub(/"$/, "", name)
      sub(/^Micro:/, "", name); sub(/ - processor ns.*/, "", name)
      if (!match($0, /"value"[^0-9]*[0-9.]+/)) next
      value = substr($0, RSTART, RLENGTH); gsub(/[^0-9.]/, "", value)
      if ($0 ~ /"unit"[^"]*"K"/) value *= 1000
      if ($0 ~ /"unit"[^"]*"M"/) value *= 1000000
      values[name] = value
    }
    END {
      if (!(yardstick in values) || values[yardstick] <= 0) exit 1
      for (name in values) printf "%s\t%.3f\n", name, values[name] / values[yardstick]
    }' | LC_ALL=C sort
  rm -r "$folder"
}

# Measures all parts beside their thresholds; fails when one is too slow.
check() {
  measured | awk -F '\t' -v headroom="$headroom" '
    NR == FNR { limits[$1] = $2; next }
    { seen[$1] = 1
      if (!($1 in limits)) { printf "%s has no threshold; record one\n", $1; failed = 1; next }
      over = $2 > headroom * limits[$1]
      printf "%-8s %-44s %9.3f of %9.3f\n", over ? "TOO SLOW" : "", $1, $2, limits[$1]
      if (over) failed = 1 }
    END {
      for (name in limits) if (!(name in seen)) { printf "%s was not measured\n", name; failed = 1 }
      exit failed
    }' "$thresholds" -
}

case ${1:-} in
  record)
    mkdir -p "$(dirname "$thresholds")"
    measured >"$thresholds.new"
    mv "$thresholds.new" "$thresholds"
    cat "$thresholds"
    ;;
  check)
    # What is slow twice is slow; once, something else may have run.
    check || { echo "Measured again:"; check; }
    ;;
  *)
    micro "$@"
    ;;
esac
