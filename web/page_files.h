#pragma once
// The files of the page, which are part of the program.

#include <string_view>

namespace sojourn::web {

struct PageFile {
  std::string_view content_type;
  std::string_view body;
};

/// "/", "/page.js", "/page.css", "/icon.svg"; nullptr for every other path.  A program built
/// without the page has one sentence at "/".
const PageFile* page_file(std::string_view path);
bool has_page();

}  // namespace sojourn::web
