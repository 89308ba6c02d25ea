#!/usr/bin/env bash
# A C++ file has at most 400 lines. size_exceptions.txt holds the exceptions, each with its reason
# and date; an exception that is no longer needed is a problem too, so the list cannot rot.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

limit=400
exceptions=tools/size_exceptions.txt
cd "$root"

declare -A excepted=()
if [ -f "$exceptions" ]; then
  number=0
  while IFS= read -r line; do
    number=$((number + 1))
    case $line in '' | '#'*) continue ;; esac
    if [[ $line =~ ^([^ ]+)\ \|\ (.{10,})\ \|\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]]; then
      excepted[${BASH_REMATCH[1]}]=$number
    else
      problem "$exceptions:$number" 'is not an exception' 'write: path | reason | YYYY-MM-DD'
    fi
  done <"$exceptions"
fi

declare -A large=()
while read -r lines file; do
  [ "$file" != total ] && [ "$lines" -gt "$limit" ] || continue
  large[$file]=1
  [ -n "${excepted[$file]:-}" ] ||
    problem "$file" "has $lines lines, more than $limit" \
      "split it by noun (CONTRIBUTING.md), or add a line with the reason to $exceptions"
done < <(cpp_files | grep -E '\.(cpp|hpp|c|h)$' | xargs -r -d '\n' wc -l)

for file in "${!excepted[@]}"; do
  [ -n "${large[$file]:-}" ] ||
    problem "$exceptions:${excepted[$file]}" "'$file' needs no exception" 'remove the line'
done
finish 'check sizes'
