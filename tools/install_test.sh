#!/usr/bin/env bash
# tools/install_test.sh BUILD [CC CXX]: installs a build into a prefix, moves that elsewhere, and
# uses it from another folder as a stranger would: the examples built with find_package(hone) and with
# pkg-config, and run; the Python one run. Ends with `install test: ok`.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
cc=${2:-cc} cxx=${3:-c++}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
model=$root/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx
export ORT_DISABLE_TELEMETRY=1
wrong=0

complain() {
  printf 'install test: %s\n' "$1"
  wrong=$((wrong + 1))
}

# quietly NAME COMMAND...: says what it printed only where it fails.
quietly() {
  local name=$1
  shift
  "$@" >"$place/log" 2>&1 && return
  complain "$name failed:"
  cat "$place/log"
  return 1
}

# expect STATUS WORDS COMMAND...: how it ends, and what it says.
expect() {
  local status=$1 words=$2 output found=0
  shift 2
  output=$("$@" 2>&1) || found=$?
  if [ "$found" != "$status" ] || [[ $output != *"$words"* ]]; then
    complain "'${*/#$place\//}' ended with $found, expected $status with '$words'. It said:"
    printf '%s\n' "$output"
  fi
}

# What each example says. PROGRAMS is the folder they are in.
try_examples() {
  local programs=$1
  expect 0 'inputs   pixel_values, float' "$programs/inspect" "$model"
  expect 2 "error: cannot read '/nowhere/net.onnx'
  No such file or directory" "$programs/inspect" /nowhere/net.onnx
  expect 0 '"runs":20' "$programs/monitor" "$model"
  expect 2 '/nowhere/net.onnx' "$programs/monitor" /nowhere/net.onnx
  expect 0 'runs: 1' "$programs/run" "$model" 32
  rm -rf "$place/search"
  expect 6 'stopped, as the caller asked' "$programs/search" "$model" "$place/search" 0
}

install() {
  quietly 'cmake --install' cmake --install "$build" --prefix "$place/first" || exit 1
  mv "$place/first" "$place/prefix"
  mkdir "$place/work"
  cp -r "$root/examples" "$place/work/"
  cd "$place/work" || exit 1
}

# Nothing but hone_* may be seen: what is inside must not meet what a program brings.
check_symbols() {
  local others
  others=$(nm -D --defined-only "$place/prefix/lib/libhone.so" | awk '{ print $3 }' | grep -v -e '^hone_' -e '^HONE_0')
  [ -z "$others" ] || complain "libhone.so shows more than hone_*: $(head -n 5 <<<"$others" | tr '\n' ' ')"
}

by_cmake() {
  quietly 'find_package(hone)' cmake -S examples -B cmake "-DCMAKE_PREFIX_PATH=$place/prefix" \
    "-DCMAKE_C_COMPILER=$cc" "-DCMAKE_CXX_COMPILER=$cxx" || return
  quietly 'building with find_package(hone)' cmake --build cmake || return
  try_examples "$PWD/cmake"
}

by_pkg_config() {
  local flags name
  export PKG_CONFIG_PATH=$place/prefix/lib/pkgconfig
  flags=$(pkg-config --cflags --libs hone) || { complain 'pkg-config does not find hone'; return; }
  mkdir pkg-config
  # shellcheck disable=SC2086
  for name in inspect monitor; do
    quietly "$name by pkg-config" "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "examples/$name.c" \
      -o "pkg-config/$name" $flags || return
  done
  # shellcheck disable=SC2086
  for name in run search; do
    quietly "$name by pkg-config" "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror "examples/$name.cpp" \
      -o "pkg-config/$name" $flags || return
  done
  LD_LIBRARY_PATH=$place/prefix/lib try_examples "$PWD/pkg-config"
}

by_python() {
  command -v python3 >/dev/null || { echo 'install test: the Python example is skipped: there is no python3'; return; }
  expect 0 'tensors were compared' python3 examples/quantize.py "$model" q.onnx "$place/prefix/lib/libhone.so.0"
  expect 2 'cannot read' python3 examples/quantize.py /nowhere/net.onnx q.onnx "$place/prefix/lib/libhone.so.0"
}

install
check_symbols
by_cmake
by_pkg_config
by_python
[ "$wrong" = 0 ] || exit 1
echo 'install test: ok'
