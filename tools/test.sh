#!/usr/bin/env bash
# All tests of the project, in the order in which a failure is cheapest to learn about. Ends with
# one line for all of them: `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/reports

passed=0
failed=0
skipped=0
summary=()

# add NAME PASSED FAILED SKIPPED
add() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + $4))
  summary+=("$(printf '%-8s %d passed, %d failed%s' "$1" "$2" "$3" \
    "$([ "$4" = 0 ] || printf ', %d skipped' "$4")")")
}

# The number in tests="..." and its like, of the first line that has it in ctest's JUnit file.
count_of() {
  grep -o -m1 "$1=\"[0-9]*\"" "$2" | head -n1 | tr -dc 0-9
}

# run_preset NAME: build it, run its tests. No build or no test is a failure, not silence.
run_preset() {
  local report=$PWD/build/reports/$1.xml started=$SECONDS
  rm -f "$report"
  if ! tools/build.sh "$1"; then
    echo "test: the $1 build failed"
    add "$1" 0 1 0
    return
  fi
  echo "test: $1 built in $((SECONDS - started)) s"
  # ctest's own status also counts: it is red when there was no test to run.
  local status=0 total=0 bad=0 left=0
  ctest --preset "$1" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-2}" --output-junit "$report" || status=$?
  if [ -f "$report" ]; then
    total=$(count_of tests "$report")
    bad=$(count_of failures "$report")
    left=$(($(count_of skipped "$report") + $(count_of disabled "$report")))
  fi
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
    echo "test: the $1 tests ended with status $status"
    bad=1
    total=$((total + 1))
  fi
  add "$1" $((total - bad - left)) "$bad" "$left"
}

run_checks() {
  local output status=0
  output=$(tools/check.sh) || status=$?
  printf '%s\n' "$output"
  set -- $(printf '%s\n' "$output" | awk 'END { print $1, $3 }')
  [ "$status" = 0 ] || [ "${2:-0}" != 0 ] || set -- 0 1
  add checks "$1" "$2" 0
}

# One build, the one that sees most: sanitizers find what a plain run would let pass, and a second
# build would double the time. `ctest --preset release` runs the same tests on what users get.
run_checks
run_preset asan

echo
printf '%s\n' "${summary[@]}"
printf '%d passed, %d failed%s\n' "$passed" "$failed" \
  "$([ "$skipped" = 0 ] || printf ', %d skipped' "$skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
