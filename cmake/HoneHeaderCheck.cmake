# Every header compiles when it is the first and only include: nobody has to know what to include
# before it. One generated file per header, compiled without optimisation.
function(hone_header_check)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/src/*.h" "${PROJECT_SOURCE_DIR}/app/*.h")
  set(sources "")
  foreach(header IN LISTS headers)
    set(source "${PROJECT_BINARY_DIR}/header_check/${header}.cpp")
    # CONFIGURE writes only when the text differs, so a new configure rebuilds nothing.
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${PROJECT_SOURCE_DIR}/${header}\"\n")
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(header_check OBJECT ${sources})
  target_include_directories(header_check PRIVATE
    "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  target_compile_options(header_check PRIVATE -O0 -g0 -fno-sanitize=all)
  target_link_libraries(header_check PRIVATE hone_warnings nlohmann_json::nlohmann_json hone_curl
    hone_protozero)
  set_target_properties(header_check PROPERTIES CXX_CLANG_TIDY "")
endfunction()
