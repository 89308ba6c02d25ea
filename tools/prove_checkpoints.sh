#!/usr/bin/env bash
# [RACE=SECONDS] tools/prove_checkpoints.sh [NAME...]: recipes and bundles of the small checkpoints in
# tests/fixtures/hf, one for each that is a single model: made, proven up to L2 (or L1) and reviewed. What is
# there is replaced. Weights are random: a bundle shows that the graph is built, runs and computes the
# same, and tests/families_test.cpp that it computes what transformers does. A race takes
# 100 seconds at the most, or RACE.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
hone=build/bin/hone
checkpoints=tests/fixtures/hf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_CACHE=$work/cache ORT_DISABLE_TELEMETRY=1

# member NAME FILE: a word of a JSON document's first member of that name.
member() { sed -n "s/^  \"$1\": \"\\(.*\\)\",\$/\\1/p" "$2" | head -1; }

# first_input FILE: the name of the first input of what was exported.
first_input() {
  sed -n '/^      "inputs"/,/"name"/s/^ *"name": "\(.*\)",$/\1/p' "$1" | head -1
}

# recipe_task TASK INPUT: what recipes call a task, for a model that is fed with INPUT first; nothing
# where they have none.
recipe_task() {
  case $1/$2 in
    zero-shot-*) ;; # words and pictures at once
    text-generation-with-past/*) printf 'text-generation' ;;
    automatic-speech-recognition/*) printf 'speech-recognition' ;;
    object-detection/* | image-classification/* | image-segmentation/*) printf '%s' "$1" ;;
    */pixel_values) printf 'image-feature-extraction' ;;
    */input_values) printf 'audio-classification' ;;
    *) printf '%s' "$1" ;;
  esac
}

# climb NAME RECIPE BUNDLE GOAL SECONDS
climb() {
  rm -rf "$3"
  "$hone" recipe prove "$2" --source "$checkpoints/$1" --goal "$4" --race "$5" --change "$2" -o "$3"
}

# prove NAME: 1 where it is several models or has no task of recipes, 2 where its bundle is not approved.
prove() {
  local name=$1 task recipe bundle sizes=batch_size=1
  rm -rf "$work/export"
  "$hone" export "$checkpoints/$name" -o "$work/export" --format json >"$work/export.json" || return 2
  if [ "$(grep -c '^      "part": ' "$work/export.json")" != 1 ]; then return 1; fi
  task=$(recipe_task "$(member task "$work/export.json")" "$(first_input "$work/export.json")")
  if [ -z "$task" ]; then return 1; fi
  if grep -q '"height", "width"' "$work/export.json"; then sizes+=,height=64,width=64; fi
  rm -rf "recipes/checkpoints_$name" "bundles/checkpoints_$name"
  "$hone" recipe new "$checkpoints/$name" --id "checkpoints/$name" --task "$task" --ep cpu -o . \
    --shape-config "$sizes" -q >"$work/new.txt" || return 2
  recipe=$(echo recipes/checkpoints_"$name"/cpu/*.json)
  bundle=bundles/${recipe#recipes/}
  bundle=${bundle%.json}
  mkdir -p "$(dirname "$bundle")"
  # Random weights may answer all pictures alike, which shows nothing at L2; a busy machine needs longer
  # for the sessions of a race.
  climb "$name" "$recipe" "$bundle" L2 "${RACE:-100}" || climb "$name" "$recipe" "$bundle" L1 150 || return 2
  "$hone" recipe review "$bundle" --models "$checkpoints" -q >"$work/review.txt" && return 0
  cat "$work/review.txt"
  return 2
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
  for folder in "$checkpoints"/*/; do
    name=$(basename "$folder")
    case $name in tiny-*) ;; *) names+=("$name") ;; esac
  done
fi
failed=()
for name in "${names[@]}"; do
  status=0
  prove "$name" || status=$?
  case $status in
    0) ;;
    1) printf '%s: several models, or a task that recipes do not have\n' "$name" ;;
    *) failed+=("$name") ;;
  esac
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'not approved: %s\n' "${failed[*]}" >&2
  exit 1
fi
