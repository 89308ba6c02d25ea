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

# build NAME [OPTION...]: whether the preset could be built. No build is a failure, not silence.
build() {
  local started=$SECONDS
  if ! tools/build.sh "$@"; then
    echo "test: the $1 build failed"
    add "$1" 0 1 0
    return 1
  fi
  echo "test: $1 built in $((SECONDS - started)) s"
}

# run_tests NAME OPTION...: tests of the sanitizer build that ctest's options choose. No test is a
# failure, too.
run_tests() {
  local name=$1 report=$PWD/build/reports/$1.xml
  shift
  rm -f "$report"
  # ctest's own status also counts: it is red when there was no test to run.
  local status=0 total=0 bad=0 left=0
  # One more than there are cores: a test that waits for a process leaves its core to another.
  ctest --preset asan -j "$((${CMAKE_BUILD_PARALLEL_LEVEL:-2} + 1))" --output-junit "$report" "$@" || status=$?
  if [ -f "$report" ]; then
    total=$(count_of tests "$report")
    bad=$(count_of failures "$report")
    left=$(($(count_of skipped "$report") + $(count_of disabled "$report")))
  fi
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
    echo "test: the $name tests ended with status $status"
    bad=1
    total=$((total + 1))
  fi
  add "$name" $((total - bad - left)) "$bad" "$left"
}

# run_script NAME COMMAND...: what ends with `N passed, N failed`.
run_script() {
  local name=$1 output=build/reports/$1.log status=0
  shift
  "$@" 2>&1 | tee "$output" || status=$?
  set -- $(awk 'END { if ($2 == "passed,") print $1, $3; else print 0, 0 }' "$output")
  [ "$status" = 0 ] || [ "$2" != 0 ] || set -- "$1" 1
  add "$name" "$1" "$2" 0
}

# run_one NAME COMMAND...: one test that is a command; 77 is skipped, as for ctest.
run_one() {
  local name=$1 status=0
  shift
  "$@" || status=$?
  case $status in
    0) add "$name" 1 0 0 ;;
    77) add "$name" 0 0 1 ;;
    *) add "$name" 0 1 0 ;;
  esac
}

# The slowest ten of a report, in seconds: where a minute of everybody's could be saved.
say_slowest() {
  [ -f "$1" ] || return 0
  echo 'test: the slowest ten, in seconds'
  sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*/\2 \1/p' "$1" | sort -rn | head -n 10 |
    awk '{ printf "  %6.1f %s\n", $1, $2 }'
}

# part NAME COMMAND...: says how long it took.
part() {
  local started=$SECONDS name=$1
  shift
  "$@"
  echo "test: $name took $((SECONDS - started)) s"
}

# What the release alone is held to: documents, and the transcripts that take 15 s and more under the
# sanitizers (ten minutes of a core together, and more). hone_autoconfig_test, hone_sweep_test,
# hone_families_test and their like take the same flows through the sanitizers.
of_the_release='^docs/|^transcripts/.*/(analyze|autoconfig|build|build_folder|checkpoints|compare|compile|composite|debug|eval|eval_rows|export|fix_shapes|inputs|interrupt|kb|kb_models|perf|processors|quantize|recipe|sweep|targets)( |$)'

# Each test once, in the build that sees most: sanitizers find what a plain run would let pass. The
# fuzzers are of the same objects; half a minute each goes on from what earlier runs saw.
run_sanitized() {
  build asan || return 0
  run_tests asan -E "$of_the_release"
  say_slowest build/reports/asan.xml
  part fuzzers run_script fuzzers tools/fuzz.sh 30 asan
}

# What users get says the same, and runs where nothing of ours is installed.
run_release() {
  build release || return 0
  # The library that is installed, and an EP that is "here": that of the sanitizer build cannot be loaded.
  build release --target hone_api hone_stand_in_ep || return 0
  HONE_PROGRAM=$PWD/build/bin/hone HONE_STAND_IN=$PWD/build/release/test-bin/stand-in/libonnxruntime_providers_qnn.so \
    run_tests release -R '^(transcripts|docs)/'
  run_one install tools/install_test.sh build/release
  run_one package eval 'tools/package.sh && tools/package_test.sh'
}

part checks run_script checks tools/check.sh
part headers run_one headers tools/check_headers.sh
part sanitizers run_sanitized
part release run_release

echo
printf '%s\n' "${summary[@]}"
printf '%d passed, %d failed%s\n' "$passed" "$failed" \
  "$([ "$skipped" = 0 ] || printf ', %d skipped' "$skipped")"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
