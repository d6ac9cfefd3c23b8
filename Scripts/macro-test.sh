#!/usr/bin/env bash
# Tests @Model in the package that uses it as an app does. Builds swift-syntax: some minutes the
# first time. Then shows the compiler models that are wrong: it must say one sentence, the one that
# stands in their first line, and no other. Of models in a module of the main actor it says nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

# The plan of an earlier build does not notice files that came or went above the package.
rm -f MacroTests/.build/*.yaml
swift test --package-path MacroTests

products=$(swift build --package-path MacroTests --show-bin-path)
# What the test of a macro uses is built for the machine that builds, and lies beside the rest.
suffix=-tool
[[ -d $products/Modules-tool ]] || suffix=
check() {
  swiftc -typecheck -swift-version 6 -diagnostic-style=llvm \
    -I "$products/Modules$suffix" -I "$products/CChecksum$suffix.build" -I Sources/CLZ4 \
    -I Sources/CLinux \
    -load-plugin-executable "$products/ModelMacros-tool#ModelMacros" "$@" 2>&1
}
status=0
for model in MacroTests/WrongModels/*.swift; do
  sentence=$(sed -n 's|^// says: ||p' "$model")
  if [[ -z $sentence ]]; then
    printf '%s: the sentence that the compiler must say is missing\n' "$model"
    status=1
    continue
  fi
  errors=$(check "$model" | grep -F ' error: ' || true)
  if [[ -z $errors ]] || grep -vqF "$sentence" <<< "$errors"; then
    printf '%s: the compiler must say "%s" and nothing else; it says:\n%s\n' \
      "$model" "$sentence" "${errors:-nothing}"
    status=1
  else
    printf '%s: told in one sentence\n' "$model"
  fi
done
if ! check -warnings-as-errors -default-isolation MainActor \
  MacroTests/IsolatedModels/*.swift; then
  echo 'MacroTests/IsolatedModels: the compiler must say nothing'
  status=1
fi
exit $status
