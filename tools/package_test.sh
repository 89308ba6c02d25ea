#!/usr/bin/env bash
# Tries the packages of build/package in a bare Debian 12: its essential packages and apt, no library
# that a build brings, nothing of this machine. Ends with 77 where such a root cannot be had.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/build/package
root=$out/root
wrong=0

skip() {
  printf 'package test: skipped: %s\n' "$1"
  exit 77
}

# The root is kept as an archive: the next test takes seconds.
make_root() {
  [ "$(id -u)" = 0 ] || skip 'only root may enter another root'
  command -v mmdebstrap >/dev/null || skip 'mmdebstrap is not installed (make package installs it)'
  rm -rf "$root"
  if [ ! -f "$out/bare.tar" ]; then
    mmdebstrap --quiet --variant=apt bookworm "$out/bare.tar.part" --format=tar >"$out/bare.log" 2>&1 ||
      skip "no Debian could be fetched ($(tail -n 1 "$out/bare.log"))"
    mv "$out/bare.tar.part" "$out/bare.tar"
  fi
  mkdir -p "$root/models"
  tar -C "$root" -xf "$out/bare.tar"
  cp tests/fixtures/tiny/resnet-cls/torch-opset17.onnx "$root/models/model.onnx"
}

# inside COMMAND...: in the bare root, with processes of its own and none of our environment.
inside() {
  unshare --mount --pid --fork --root="$root" --mount-proc \
    env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"
}

# expect WORDS COMMAND...: it ends well, and says so.
expect() {
  local words=$1 output status=0
  shift
  output=$(inside "$@" 2>&1) || status=$?
  if [ "$status" != 0 ] || [[ $output != *"$words"* ]]; then
    printf 'package test: "%s" ended with %s and does not say "%s". It said:\n%s\n' \
      "$*" "$status" "$words" "$output"
    wrong=$((wrong + 1))
  fi
}

# What a user does first, with the hone that PROGRAM is.
try_program() {
  expect "$version" "$1" --version
  expect 'inputs' "$1" inspect /models/model.onnx
  expect 'libonnxruntime.so.1' "$1" sys
  expect 'placement: cpu 29 nodes' "$1" perf /models/model.onnx --iterations 3 --warmup 1
  expect 'placement: sim 29 nodes' "$1" perf /models/model.onnx --ep sim --iterations 3 --warmup 1
  expect 'outputs are equal' "$1" optimize /models/model.onnx -o /models/optimized.onnx --overwrite
}

make_root
version=$(sed -n 's/^project(hone VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
cp "$out"/hone_*.deb "$root/hone.deb"
expect '' sh -c '! dpkg-query -W -f "\${Package}\n" | grep -e -dev$'
expect 'Setting up hone' dpkg --install /hone.deb
try_program hone
expect 'libhone.so.0' ldconfig -p
expect 'Apache License' cat /usr/share/doc/hone/copyright
expect 'Removing hone' dpkg --remove hone
expect '' sh -c '! ls -d /usr/bin/hone /usr/lib/hone /usr/share/doc/hone 2>/dev/null | grep .'

# The archive runs where it is unpacked, and where it is moved to; a link to it is enough.
tar -C "$root/opt" -xzf "$out"/hone-*.tar.gz
mv "$root"/opt/hone-* "$root/opt/moved away"
ln -s '/opt/moved away/bin/hone' "$root/usr/local/bin/hone"
try_program hone
rm -rf "$root"

[ "$wrong" = 0 ] || exit 1
echo 'package test: ok'
