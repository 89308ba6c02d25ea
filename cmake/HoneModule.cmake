include(GoogleTest)

# Half of a build's time goes into reading the same standard headers, and two thirds of a test's into
# GoogleTest's (measured: 5.1 s to 3.2 s for a source, 20 s to 10 s for a test with -O0). They are
# read once: for libraries, which are compiled -fPIC, and for tests, which are compiled -fPIE.
set(hone_standard_headers <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <deque> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <unordered_map>
  <unordered_set> <utility> <variant> <vector>)
add_library(hone_pch STATIC "${PROJECT_SOURCE_DIR}/cmake/pch.cpp")
target_link_libraries(hone_pch PRIVATE hone_warnings)
target_precompile_headers(hone_pch PRIVATE ${hone_standard_headers})
add_executable(hone_test_pch "${PROJECT_SOURCE_DIR}/cmake/pch.cpp")
target_compile_definitions(hone_test_pch PRIVATE HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(hone_test_pch PRIVATE hone_warnings GTest::gmock GTest::gtest_main)
target_compile_options(hone_test_pch PRIVATE -O0)
target_precompile_headers(hone_test_pch PRIVATE ${hone_standard_headers} <gmock/gmock.h> <gtest/gtest.h>)

# hone_add_folder(src/model): adds the folder once it has a CMakeLists.txt.
function(hone_add_folder folder)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()

# hone_module(NAME model
#             SOURCES graph.cpp reader.cpp      listed by hand; none makes a header-only module
#             TESTS graph_test.cpp              one GoogleTest binary, hone_model_test
#             DEPENDS hone_base                 modules whose headers ours may include
#             LIBS hone_protozero               outside libraries, seen by this module alone
#             TEST_LIBS hone_measure            what only the tests need
#             HOT                               its tests compute for minutes: optimized under the sanitizers
#                                               as well
#             COLD                              no loop over weights or samples: -O1, which compiles
#                                               in two thirds of the time
#             FUZZED)                           reads what strangers wrote: in the sanitizer build, too, a
#                                               fuzzer sees which of its lines an input reaches
function(hone_module)
  cmake_parse_arguments(arg "HOT;COLD;FUZZED" "NAME" "SOURCES;TESTS;DEPENDS;LIBS;TEST_LIBS" ${ARGN})
  if(NOT arg_NAME OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hone_module: needs NAME, and does not know '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(target hone_${arg_NAME})
  # "model/graph.h" is src/model/graph.h, and "app/command.h" is app/command.h.
  set(roots "${PROJECT_SOURCE_DIR}/src")
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/src/")
    list(APPEND roots "${PROJECT_SOURCE_DIR}")
  endif()

  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC ${roots})
    target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_LIBS} hone_warnings)
    hone_speed(${target} "${arg_HOT}" hone_pch)
    hone_batch(${target} ${arg_SOURCES})
    if(arg_COLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${target} PRIVATE -O1)
    endif()
    # What -fsanitize=fuzzer-no-link adds to code, said as an option that precompiled headers do not
    # look at. Tests run the same objects: CI fuzzes without a build of its own.
    if(arg_FUZZED AND HONE_SANITIZE)
      target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${roots})
    target_link_libraries(${target} INTERFACE ${arg_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY HONE_MODULES ${target})

  if(arg_TESTS)
    if(arg_HOT)
      set(hot HOT)
    endif()
    hone_test(NAME ${arg_NAME} ${hot} SOURCES ${arg_TESTS} LIBS ${target} ${arg_LIBS} ${arg_TEST_LIBS})
  endif()
endfunction()

# hone_speed(hone_model ON hone_pch): what is hot is optimized under the sanitizers, which costs it the
# precompiled headers: those are of code that is not.
function(hone_speed target is_hot headers)
  if(is_hot AND HONE_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  else()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# hone_test(NAME model SOURCES ... LIBS ... LABELS unit): one GoogleTest binary; every TEST in it
# is a test of ctest, called model/Suite.Name. Tests run in the source root. TOGETHER: all of them
# are one test of ctest, for those that share something that takes long to make, but for those that
# APART names ("Suite.*"): what may skip must be seen by ctest. HOT as in hone_module.
function(hone_test)
  cmake_parse_arguments(arg "HOT;TOGETHER" "NAME;LABELS;APART" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  set(target hone_${arg_NAME}_test)
  add_executable(${target} ${arg_SOURCES})
  target_compile_definitions(${target} PRIVATE HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE ${arg_LIBS} hone_warnings GTest::gmock GTest::gtest_main)
  # A test's own code need not be fast; optimising it takes longer than running it.
  target_compile_options(${target} PRIVATE -O0)
  hone_speed(${target} "${arg_HOT}" hone_test_pch)
  hone_batch(${target} ${arg_SOURCES})
  # Not beside the program: build/bin is what users see.
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test-bin")
  if(arg_TOGETHER)
    add_test(NAME "${arg_NAME}/all" COMMAND ${target} "--gtest_filter=-${arg_APART}"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties("${arg_NAME}/all" PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
    if(NOT arg_APART)
      return()
    endif()
    set(only TEST_FILTER "${arg_APART}")
  endif()
  # PRE_TEST: the list is made when ctest runs, so a build never executes what it has just built
  # and adding a TEST needs no new configure.
  gtest_discover_tests(${target}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    ${only}
    TEST_PREFIX "${arg_NAME}/"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()

# hone_embed(embedded_rules HEADER inspect/coverage/rules.h FILES a.json b.json): sets the variable
# to a source that defines embedded_rules(), which HEADER declares: the files' names and texts.
function(hone_embed name)
  cmake_parse_arguments(arg "" "HEADER" "FILES" ${ARGN})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${source}" "-DFILES=${arg_FILES}" "-DHEADER=${arg_HEADER}"
      "-DFUNCTION=${name}" -P "${script}"
    DEPENDS ${arg_FILES} "${script}"
    VERBATIM
  )
  # Clang tells of literals above the 64 KiB that every compiler takes; ours do.
  set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  set(${name} "${source}" PARENT_SCOPE)
endfunction()

# All modules added so far, for what uses the whole toolkit: the program, benches, fuzz targets.
function(hone_all_modules result)
  get_property(modules GLOBAL PROPERTY HONE_MODULES)
  set(${result} ${modules} PARENT_SCOPE)
endfunction()
