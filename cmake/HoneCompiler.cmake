# What every translation unit of ours is compiled and linked with.

option(HONE_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(HONE_FUZZ "Build the fuzz targets (needs clang)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Each build type says all of its flags here or in its preset; CMake's own defaults (-O3, -O2 -g)
# would otherwise stand before ours.
# A release has no debug information: lines alone made 141 MB of a program of 22 MB.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
set(CMAKE_EXE_LINKER_FLAGS_RELEASE "-s" CACHE STRING "" FORCE)
set(CMAKE_SHARED_LINKER_FLAGS_RELEASE "-s" CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS" CACHE STRING "" FORCE)

# Results are compared across machines: a fused multiply-add on arm64 would round once where x64
# rounds twice, and plain char is unsigned there.
add_compile_options(-ffp-contract=off -fsigned-char)
add_link_options(-Wl,--as-needed)

# g++ looks for memory to free each time it has doubled what it holds, and a batch ends before that pays:
# without it a batch takes 11 to 18 % less time and 200 MB more (flow: 10.8 s to 8.6 s, 0.76 GB to 0.95 GB;
# the largest 1.3 GB). It changes no code: what it steers is the compiler's own memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1500000")
endif()

# The names a warning-clean build is held to. They are an interface target and not global, so that
# sources that are not ours (see HoneDependencies) can stay out.
add_library(hone_warnings INTERFACE)
target_compile_options(hone_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-declarations -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees uninitialized members in every inlined move of a std::variant, overlap and overflow in
  # std::string's operator+ and overflow in its insert(). `make tidy` looks for the real ones with
  # clang's analyzer.
  target_compile_options(hone_warnings INTERFACE -Wno-maybe-uninitialized -Wno-restrict
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # What -Wconversion means to g++: signs are not part of it. And libstdc++'s own stable_sort uses what
  # libstdc++ calls deprecated.
  target_compile_options(hone_warnings INTERFACE -Wno-sign-conversion -Wno-deprecated-declarations)
endif()

if(HONE_FUZZ)
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined)
elseif(HONE_SANITIZE)
  set(sanitizers -fsanitize=address,undefined)
endif()
if(sanitizers)
  # -g1 (lines without variables) is what a sanitizer's stack trace needs; it halves the objects.
  add_compile_options(${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  # Tests run once for each time they are compiled. Fuzzers are as good as they are fast.
  if(HONE_SANITIZE)
    add_compile_options(-O0)
  endif()
  add_link_options(${sanitizers})
  # Instrumented code hides from g++'s range analysis what it knows in the release build, where
  # these stay on.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

find_program(HONE_CCACHE ccache)
if(HONE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HONE_CCACHE}")
  # The cache knows a precompiled header by its content; clang would tell two of them apart by their
  # time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# mold links the sanitizer build several times faster than bfd; where it is missing nothing changes.
find_program(HONE_MOLD mold)
if(HONE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Where things land. The release preset overrides these so that the binary is build/bin/hone.
if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endif()
if(NOT CMAKE_LIBRARY_OUTPUT_DIRECTORY)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()

# Setup puts ONNX Runtime into build/lib, where build/bin/hone finds it as ../lib. Every other
# preset's binary finds it the same way through a link; no test needs an environment variable.
set(shared_runtime "${PROJECT_SOURCE_DIR}/build/lib/libonnxruntime.so.1")
set(local_runtime "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libonnxruntime.so.1")
if(NOT local_runtime STREQUAL shared_runtime)
  file(MAKE_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  file(CREATE_LINK "${shared_runtime}" "${local_runtime}" SYMBOLIC)
endif()
