#!/usr/bin/env bash
# Shows that each check is green on a sound tree and red, with the right words, on a broken one.
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
wrong=0

# A tree with one sound file of each kind.
sound_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/src/base" "$tree/src/model" "$tree/app/commands" "$tree/tools" "$tree/docs"
  cp "$tools/../.clang-format" "$tree/"
  cp "$tools/../ARCHITECTURE.md" "$tree/"
  printf '#pragma once\n#include <string>\n' >"$tree/src/base/text.h"
  printf '#include <protozero/pbf_reader.hpp>\n\n#include "base/text.h"\n' >"$tree/src/model/graph.cpp"
  printf '#include <CLI/CLI.hpp>\n\n#include "base/text.h"\n' >"$tree/app/commands/inspect.cpp"
  printf '# A page\n\n[here](#a-page) [there](docs/page.md#its-end)\n' >"$tree/README.md"
  printf '# Page\n\n## Its end\n\n[up](../README.md)\n' >"$tree/docs/page.md"
}

# expect green|red CHECK [WORDS]: runs the check on the tree.
expect() {
  local wanted=$1 check=$2 words=${3:-} output found=green
  output=$(HONE_ROOT=$tree GIT_DIR=$tree/none "$tools/$check.sh" 2>&1) || found=red
  if [ "$found" != "$wanted" ] || [[ $output != *"$words"* ]]; then
    printf 'checks_test.sh: %s was %s, expected %s with "%s". It said:\n%s\n' \
      "$check" "$found" "$wanted" "$words" "$output"
    wrong=$((wrong + 1))
  fi
}

# breaks CHECK FILE TEXT WORDS: a sound tree plus that text in that file is red.
breaks() {
  sound_tree
  mkdir -p "$(dirname "$tree/$2")"
  printf "$3" >>"$tree/$2"
  expect red "$1" "$4"
}

sound_tree
for check in check_format check_layers check_once check_programs check_sizes check_text; do expect green "$check"; done

breaks check_format src/base/a.cpp 'int   x;\n' 'src/base/a.cpp: is not formatted'

breaks check_layers src/base/a.cpp '#include "model/graph.h"\n' '`base` may not include `model`'
breaks check_layers src/model/a.h '\n  #  include "app/command.h"\n' 'src/model/a.h:2: `model` may not include `app`'
breaks check_layers src/model/a.cpp '#include "graph.h"\n' 'names no module'
breaks check_layers src/brand_new/a.cpp 'int x;\n' '`brand_new` is not in the module table'
breaks check_layers src/model/a.cpp '#include <nlohmann/json.hpp>\n' 'enters through base and not `model`'
breaks check_layers src/base/a.h '#include <nlohmann/json.hpp>\n' 'too heavy for a header'
breaks check_layers app/a.cpp '#include "runtime/session.h"\n' '`runtime/session.h` enters through'
breaks check_layers ARCHITECTURE.md '\n| module | x | y |\n| `base` | x | whatever |\n' 'which is no module'
sound_tree && rm "$tree/ARCHITECTURE.md" && expect red check_layers 'ARCHITECTURE.md: is missing'

breaks check_once src/model/a.cpp 'for (auto& x : fs::recursive_directory_iterator(y))\n' 'src/model/a.cpp:1: walks a folder by itself'
breaks check_once src/model/a.cpp 'map_file(x);\nreturn sha256(bytes.view());\n' 'src/model/a.cpp:2: hashes a file that it maps'
breaks check_once src/model/a.cpp 'Failure misuse(std::string what) {\n' 'src/model/a.cpp:1: has a misuse() of its own'
sound_tree
printf 'namespace hone {\nstruct Size {\n};\n}  // namespace hone\n' | tee "$tree/src/base/a.h" >"$tree/src/model/a.h"
expect red check_once 'src/model/a.h: Size is declared in src/base/a.h as well'
printf 'namespace hone::model {\nstruct Size {\n};\n}  // namespace hone::model\n' >"$tree/src/model/a.h"
expect green check_once
sound_tree
printf 'fs::directory_iterator x;\n' >"$tree/src/base/folder.cpp"
printf 'fs::directory_iterator x;\n' >"$tree/src/base/text_test.cpp"
printf 'sha256(bytes.view());\n' >"$tree/src/base/hash.cpp"
expect green check_once

breaks check_programs src/flow/a.cpp 'run_process({program, "build", model});\n' 'src/flow/a.cpp:1: starts a program'
breaks check_programs src/flow/a.cpp 'Conversation::start({program, "perf", model}, options);\n' \
  'src/flow/a.cpp:1: talks to a program with words of its own'
breaks check_programs src/flow/a.cpp 'Conversation::start({program, "worker", "--fast"}, options);\n' 'words of its own'
breaks check_programs app/a.cpp 'std::system("hone build model.onnx");\n' 'app/a.cpp:1: starts a process by itself'
breaks check_programs src/flow/a.cpp '::execv(path, words);\n' 'starts a process by itself'
breaks check_programs src/catalog/az/feed.cpp 'run_process({own_program().value(), "pull"});\n' 'starts hone, not a program'
sound_tree
mkdir -p "$tree/src/flow" "$tree/src/measure"
printf 'Conversation::start({program, "worker"}, options);\n' >"$tree/src/flow/job.cpp"
printf 'run_process({viewer, "--input_log"});\n' >"$tree/src/measure/qnn_viewer.cpp"
printf 'run_process({program, "build"});\n' >"$tree/src/flow/job_test.cpp"
expect green check_programs

long=$(printf '//\\n%.0s' $(seq 401))
breaks check_sizes src/base/a.cpp "$long" 'src/base/a.cpp: has 401 lines'
breaks check_sizes tools/size_exceptions.txt 'src/base/text.h | it was long once | 2026-01-01\n' 'needs no exception'
breaks check_sizes tools/size_exceptions.txt 'src/base/text.h\n' 'is not an exception'
sound_tree
printf "$long" >"$tree/src/base/a.cpp"
printf 'src/base/a.cpp | one table that reads best whole | 2026-01-01\n' >"$tree/tools/size_exceptions.txt"
expect green check_sizes

breaks check_text src/base/a.cpp '// TO''DO later\n' 'src/base/a.cpp:1: holds a note'
breaks check_text docs/b.md 'text \n' 'docs/b.md:1: ends with white space'
breaks check_text docs/b.md 'BENCH_''TABLE\n' 'docs/b.md:1: holds a placeholder'
breaks check_text src/base/a.cpp '\tint x;\n' 'holds a tab'
breaks check_text docs/b.md 'see /ro''ot/x\n' 'names a path of one machine'
breaks check_text docs/b.md '[x](missing.md)\n' "links to 'missing.md', which is not there"
breaks check_text docs/b.md '[x](page.md#none)\n' 'which has no such heading'
breaks check_text web/package-lock.json '{"resolv''ed": "x"}\n' 'ties the package to one registry'

# A walk of three files: the first lists the second, which includes the third.
walked_tree() {
  sound_tree
  mkdir -p "$tree/src/flow"
  printf '### One `build`, file by file\n\n```\napp/main.cpp\napp/commands/build.cpp\nflow/build.cpp\n```\n' \
    >"$tree/ARCHITECTURE.md"
  printf 'HONE_COMMAND(build)\n' >"$tree/app/commands.inc"
  printf '#include "flow/build.h"\n' >"$tree/app/commands/build.cpp"
  touch "$tree/app/main.cpp" "$tree/src/flow/build.cpp"
}
walked_tree && expect green check_walks
walked_tree && rm "$tree/src/flow/build.cpp" && expect red check_walks 'names flow/build.cpp, which is not there'
walked_tree && : >"$tree/app/commands/build.cpp" && expect red check_walks 'nothing before flow/build.cpp includes it'
walked_tree && printf '#include "app/commands/build.h"\n' >"$tree/src/flow/build.cpp" &&
  expect red check_walks 'src/flow/build.cpp: looks back to app/commands/build.cpp'
walked_tree && sed -i "4s|.*|$(printf 'app/main.cpp\\n%.0s' $(seq 20))|" "$tree/ARCHITECTURE.md" &&
  expect red check_walks 'has 22 files'
sound_tree && printf '# None\n' >"$tree/ARCHITECTURE.md" && expect red check_walks 'has no walk'

# A header that lives from what others include, beside one that many include and one that is sound.
if command -v clang++-19 >/dev/null; then
  sound_tree
  expect green check_headers
  printf '#pragma once\n#include "base/text.h"\nstd::string b();\n' | tee "$tree/src/base/"{b,c,d}.h >/dev/null
  expect green check_headers '(4 alone)'
  breaks check_headers src/base/a.h '#pragma once\nstd::string a();\n' \
    'src/base/a.h: does not compile as the first and only include'
  # One that includes it may bring what it lacks, and stands behind it.
  sound_tree
  printf '#pragma once\nstd::string a();\n' >"$tree/src/base/a.h"
  printf '#pragma once\n#include <string>\n\n#include "base/a.h"\n' >"$tree/src/base/z.h"
  expect red check_headers 'src/base/a.h: does not compile as the first and only include'
else
  echo 'checks test: check_headers was not shown a broken tree: there is no clang++-19 (make test installs it)'
fi

[ "$wrong" = 0 ] || exit 1
echo 'checks test: ok'
