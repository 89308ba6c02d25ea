#!/usr/bin/env bash
# tools/build.sh PRESET [cmake --build options]: configures once, then builds. Says what it is about
# to do and how far it is: one line that is written over on a terminal, else a line every ten seconds
# or tenth of the way.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
# For the compiler cache: precompiled headers may be trusted, and a clone elsewhere is the same code.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

is_terminal=no
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then is_terminal=yes; fi

# "12 s", "3 min".
duration() {
  if [ "$1" -lt 100 ]; then printf '%d s' "$1"; else printf '%d min' $((($1 + 30) / 60)); fi
}

# say_steps ALL: what is about to be done. A step is about two seconds of one core (the mean of eight
# sources without a cache was 1.9 s).
say_steps() {
  [ "$1" -gt 1 ] || return 0
  printf 'build: %s, %d steps, %d at a time: about %s, less where the compiler cache has them\n' \
    "$preset" "$1" "$CMAKE_BUILD_PARALLEL_LEVEL" \
    "$(duration $((2 * $1 / CMAKE_BUILD_PARALLEL_LEVEL + 1)))"
}

# say_step COUNT ALL: how far it is.
say_step() {
  local line
  line="build: $((100 * $1 / $2)) %, step $1 of $2, $(duration $SECONDS)"
  if [ "$1" -lt "$2" ]; then line+=", about $(duration $((SECONDS * ($2 - $1) / $1))) to go"; fi
  if [ $is_terminal = yes ]; then printf '\r\033[K%s' "$line"; else printf '%s\n' "$line"; fi
}

# Passes on what ninja prints. Of its steps (@count/all@ what) only as many as a reader wants.
show_progress() {
  local line said=$SECONDS tenth=0 all=0 count=0
  while IFS= read -r line; do
    # Before the steps it looks whether it has to configure again; after them, that there were none.
    case $line in
      *'Re-checking globbed directories'* | 'ninja: no work to do.') continue ;;
      *'Re-running CMake'*) line="build: configuring build/$preset again" ;;
    esac
    if ! [[ $line =~ ^@([0-9]+)/([0-9]+)@ ]]; then
      if [ $is_terminal = yes ]; then printf '\r\033[K'; fi
      printf '%s\n' "$line"
      continue
    fi
    count=${BASH_REMATCH[1]}
    if [ "$all" = 0 ]; then say_steps "${BASH_REMATCH[2]}"; fi
    all=${BASH_REMATCH[2]}
    if [ $is_terminal = yes ] || [ "$count" = "$all" ] || [ $((SECONDS - said)) -ge 10 ] ||
      [ $((10 * count / all)) -gt "$tenth" ]; then
      tenth=$((10 * count / all)) said=$SECONDS
      say_step "$count" "$all"
    fi
  done
  if [ $is_terminal = yes ] && [ "$all" -gt 0 ]; then printf '\n'; fi
}

# A build folder that is there configures itself again when a CMake file changes.
if [ ! -f "build/$preset/build.ninja" ]; then
  printf 'build: configuring build/%s\n' "$preset"
  cmake --preset "$preset" --log-level=WARNING -Wno-dev >/dev/null
fi
NINJA_STATUS='@%f/%t@ ' cmake --build --preset "$preset" "$@" | show_progress
