# Every outside library is found once, here. The names modules use in LIBS are the targets below.
# Static archives are preferred: the binary then runs on a machine without our development packages,
# and starts faster, because the loader has fewer libraries to open and relocate.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Boost 1.74 REQUIRED)

set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)

# Headers only: the library is loaded when a server is asked (ARCHITECTURE.md, decision 13).
find_path(HONE_CURL_INCLUDE curl/curl.h REQUIRED)
add_library(hone_curl INTERFACE)
target_include_directories(hone_curl SYSTEM INTERFACE "${HONE_CURL_INCLUDE}")

# Headers without a CMake package of their own.
find_path(HONE_PROTOZERO_INCLUDE protozero/pbf_reader.hpp REQUIRED)
add_library(hone_protozero INTERFACE)
target_include_directories(hone_protozero SYSTEM INTERFACE "${HONE_PROTOZERO_INCLUDE}")

# Only a program of the build asks it: what it says of characters is compiled in (src/tokenize).
find_package(ICU 67 REQUIRED COMPONENTS uc)

# stb is compiled into the one file that uses it, with our flags: the same numbers on every machine.
find_path(HONE_STB_INCLUDE stb/stb_truetype.h REQUIRED)
add_library(hone_stb INTERFACE)
target_include_directories(hone_stb SYSTEM INTERFACE "${HONE_STB_INCLUDE}")

# hone_static_library(hone_sqlite sqlite3 sqlite3): the archive if there is one, else what pkg-config
# says.
function(hone_static_library target pkg name)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET ${pkg})
  find_library(HONE_ARCHIVE_${name} NAMES lib${name}.a)
  add_library(${target} INTERFACE)
  if(HONE_ARCHIVE_${name})
    target_link_libraries(${target} INTERFACE "${HONE_ARCHIVE_${name}}" Threads::Threads
      ${CMAKE_DL_LIBS} m)
  else()
    target_link_libraries(${target} INTERFACE PkgConfig::${target})
  endif()
endfunction()
hone_static_library(hone_sqlite sqlite3 sqlite3)

set(ZLIB_USE_STATIC_LIBS ON)
find_package(ZLIB REQUIRED)

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
