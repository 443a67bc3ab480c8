# cmake -D OUTPUT=x.cpp -D FILES=a,b -P embed.cmake: the bytes of files as arrays of C++.
string(REPLACE "," ";" FILES "${FILES}")
set(text "// Made by cmake/embed.cmake.\n#include <cstddef>\n\nnamespace sojourn::web {\n\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "extern const unsigned char ${identifier}[];\nextern const std::size_t ${identifier}_size;\n"
    "const unsigned char ${identifier}[] = {${bytes}};\nconst std::size_t ${identifier}_size = sizeof ${identifier};\n\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}  // namespace sojourn::web\n")
