# Files as part of the program: writes the source of the function that hands them out.
#
#   cmake -DOUTPUT=embedded.cpp "-DFILES=a.json;b.json" -DHEADER=inspect/coverage/rules.h
#     -DFUNCTION=embedded_rules -P EmbedFiles.cmake
#
# HEADER declares `std::span<const EmbeddedFile> FUNCTION()`.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  string(FIND "${text}" ")hone\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${file} holds )hone\", which ends the literal it would stand in")
  endif()
  get_filename_component(name "${file}" NAME)
  # Compilers need only take literals of 64 KiB, so a long file is several literals side by side.
  set(literals "")
  string(LENGTH "${text}" left)
  set(begin 0)
  while(begin LESS left)
    string(SUBSTRING "${text}" ${begin} 16000 part)
    string(APPEND literals "R\"hone(${part})hone\"\n")
    math(EXPR begin "${begin} + 16000")
  endwhile()
  string(APPEND entries "    {\"${name}\",\n${literals}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by cmake/EmbedFiles.cmake.\n
#include \"${HEADER}\"\n
namespace hone {
namespace {
constexpr EmbeddedFile files[] = {
${entries}};
}  // namespace\n
std::span<const EmbeddedFile> ${FUNCTION}() { return files; }\n
}  // namespace hone\n")
