#!/usr/bin/env bash
# Shows that test.sh counts what its parts say: all of them green, each of them red, and the slowest
# tests by name. Its parts are stand-ins.
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
wrong=0

# stand_in FILE SCRIPT: in the place of a part.
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$place/$1"
  chmod +x "$place/$1"
}

# Everything works, and the packages cannot be tried.
machine() {
  rm -rf "$place"/*
  mkdir -p "$place/tools" "$place/bin"
  cp "$tools/test.sh" "$place/tools/"
  stand_in tools/build.sh ':'
  stand_in tools/check.sh 'echo "check: ok"; echo "8 passed, 0 failed"'
  stand_in tools/check_headers.sh ':'
  stand_in tools/fuzz.sh 'echo "4 passed, 0 failed"; echo "$*" >fuzzed'
  stand_in tools/install_test.sh ':'
  stand_in tools/package.sh ':'
  stand_in tools/package_test.sh 'exit 77'
  stand_in bin/ctest 'while [ $# -gt 0 ]; do [ "$1" != --output-junit ] || report=$2; shift; done
echo "$HONE_PROGRAM" >>programs
cat >"$report" <<END
<testsuite name="x" tests="2" failures="0" disabled="0" skipped="1" hostname="" time="3">
  <testcase name="model/Graph.IsQuick" classname="a" time="0.5" status="run">
  <testcase name="model/Graph.IsSlow" classname="a" time="2.25" status="run">
END'
}

# expect STATUS WORDS...: how test.sh ends, and that it says all of the words.
expect() {
  local status=$1 output found=0 word
  shift
  output=$(cd "$place" && PATH=$place/bin:$PATH tools/test.sh 2>&1) || found=$?
  for word in "$@"; do
    if [ "$found" != "$status" ] || [[ $output != *"$word"* ]]; then
      printf 'test_test.sh: ended with %s, expected %s with "%s". It said:\n%s\n' \
        "$found" "$status" "$word" "$output"
      wrong=$((wrong + 1))
    fi
  done
}

machine
expect 0 'checks   8 passed, 0 failed' 'asan     1 passed, 0 failed, 1 skipped' \
  'fuzzers  4 passed, 0 failed' \
  'package  0 passed, 0 failed, 1 skipped' '   2.2 model/Graph.IsSlow' \
  'install  1 passed, 0 failed' '16 passed, 0 failed, 3 skipped'
if [ "$(cat "$place/fuzzed")" != '30 asan' ]; then
  echo 'test_test.sh: fuzzers do not run for 30 s each'
  wrong=$((wrong + 1))
fi
if [ "$(tail -n 1 "$place/programs")" != "$place/build/bin/hone" ]; then
  echo 'test_test.sh: the transcripts of the release are not run on build/bin/hone'
  wrong=$((wrong + 1))
fi

machine && stand_in tools/check.sh 'echo "7 passed, 1 failed"; exit 1'
expect 1 'checks   7 passed, 1 failed' '15 passed, 1 failed'
machine && stand_in tools/check_headers.sh 'exit 1'
expect 1 'headers  0 passed, 1 failed'
machine && stand_in tools/fuzz.sh 'echo "3 passed, 1 failed"; exit 1'
expect 1 'fuzzers  3 passed, 1 failed'
machine && stand_in tools/install_test.sh 'exit 1'
expect 1 'install  0 passed, 1 failed'
machine && stand_in tools/package.sh 'exit 1'
expect 1 'package  0 passed, 1 failed'
machine && stand_in tools/build.sh '[ "$1" != release ]'
expect 1 'test: the release build failed' 'release  0 passed, 1 failed'
# ctest is red when it finds no test, without a report.
machine && stand_in bin/ctest 'exit 8'
expect 1 'test: the asan tests ended with status 8' 'asan     0 passed, 1 failed' 'release  0 passed, 1 failed'

[ "$wrong" = 0 ] || exit 1
echo 'test test: ok'
