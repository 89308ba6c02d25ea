#!/usr/bin/env bash
# Shows that what new.sh writes is sound: for each kind one file and one line, and of documents and
# tests only what a command and a pass come with. Prints what adding one of each kind touches.
# tools/new_test.sh COMPILER [FLAG...] compiles all of them besides.
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$(dirname "$tools")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
wrong=0

complain() {
  printf 'new_test.sh: %s\n' "$1"
  wrong=$((wrong + 1))
}

# The lists and pages that new.sh adds to, and what the checks read.
cd "$sources" || exit 1
for file in .clang-format ARCHITECTURE.md docs/cli.md docs/passes.md app/commands.inc \
  src/kinds/{eps,precisions}.inc src/transform/passes.inc src/transform/quantize/methods.inc \
  src/checkpoint/families.inc src/inspect/eval/tasks.inc src/measure/monitors.inc src/catalog/{publishers,runners}.inc \
  src/search/sources.inc; do
  mkdir -p "$tree/$(dirname "$file")"
  cp "$file" "$tree/$file"
done
cd "$tree" || exit 1

# sums: a line for each file, that differs when its text does.
sums() { find . -type f -exec sha256sum {} + | sort -k2; }

# adds KIND NEW CHANGED: new.sh writes so many files and changes so many, and refuses a second time.
adds() {
  local kind=$1 before after made changed
  before=$(sums)
  HONE_ROOT=$tree "$tools/new.sh" "$kind" two-words >/dev/null || complain "$kind: new.sh failed"
  after=$(sums)
  made=$(join -1 2 -2 2 -v 2 <(printf '%s\n' "$before") <(printf '%s\n' "$after") | wc -l)
  changed=$(join -1 2 -2 2 <(printf '%s\n' "$before") <(printf '%s\n' "$after") |
    awk '$2 != $3' | wc -l)
  printf '%-10s %d new file(s), %d changed\n' "$kind" "$made" "$changed"
  [ "$made $changed" = "$2 $3" ] || complain "$kind: expected $2 new and $3 changed"
  if HONE_ROOT=$tree "$tools/new.sh" "$kind" two-words >/dev/null 2>&1; then
    complain "$kind: new.sh wrote it twice"
  fi
}

adds command 3 2
adds pass 2 2
for kind in ep precision method task family monitor publisher runner source; do adds "$kind" 1 1; done

grep -q -x '## hone two-words' docs/cli.md || complain 'a command has no section in docs/cli.md'
grep -q -x '### two-words' docs/passes.md || complain 'a pass has no section in docs/passes.md'
answer=$(HONE_ROOT=$tree "$tools/new.sh" kind two-words 2>&1)
[[ $answer == *'one of command|pass|ep|'* ]] || complain "an unknown kind is answered: $answer"
for check in check_format check_layers check_sizes; do
  output=$(HONE_ROOT=$tree GIT_DIR=$tree/none "$tools/$check.sh" 2>&1) || complain "$output"
done

# All of them in one unit: each is in the namespace of its kind. The lists are those of the tree.
if [ $# -gt 0 ]; then
  find app src -name two_words.cpp -printf '#include "%p"\n' >all.cpp
  "$@" -std=c++20 -fsyntax-only -Wall -Wextra -Wmissing-declarations -Werror -I "$tree/src" \
    -I "$tree" -I "$sources/src" -I "$sources" all.cpp || complain 'what was written does not compile'
fi

[ "$wrong" = 0 ] || exit 1
echo 'new test: ok'
