# Most of what a compiler does for one of our sources (130 lines in the mean) it does for headers and
# for templates of the standard library. So sources are compiled in batches, with the time of one
# source's headers for all of them; cmake/batches.awk decides which may stand together without
# seeing each other's own names. `dev` has none: there a change is to cost one file.
option(HONE_BATCHES "Compile sources in batches" OFF)
set(HONE_BATCH_SIZE 16 CACHE STRING "The most sources in one batch")

# hone_batch(hone_model graph.cpp reader.cpp): those sources of a target, in batches. Generated
# sources stay alone; so does what has compile options of its own, which CMake sees to.
function(hone_batch target)
  if(NOT HONE_BATCHES)
    return()
  endif()
  set(files "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(EXISTS "${source}" AND NOT source MATCHES "^${PROJECT_BINARY_DIR}/")
      list(APPEND files "${source}")
    endif()
  endforeach()
  execute_process(
    COMMAND awk -f "${PROJECT_SOURCE_DIR}/cmake/batches.awk" -v "most=${HONE_BATCH_SIZE}" ${files}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${target}_${CMAKE_MATCH_1}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A name that a source gets may send it to another batch.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files}
    "${PROJECT_SOURCE_DIR}/cmake/batches.awk")
endfunction()
