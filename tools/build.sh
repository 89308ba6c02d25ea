#!/usr/bin/env bash
# tools/build.sh PRESET [cmake --build options]: configures once, then builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
# A build folder that is there configures itself again when a CMake file changes.
if [ ! -f "build/$preset/build.ninja" ]; then
  cmake --preset "$preset" --log-level=WARNING -Wno-dev >/dev/null
fi
# For the compiler cache: precompiled headers may be trusted, and a clone elsewhere is the same code.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
exec cmake --build --preset "$preset" "$@" -- --quiet
