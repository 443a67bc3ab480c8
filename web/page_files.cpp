#include "web/page_files.h"

#include <array>
#include <cstddef>
#include <utility>

namespace sojourn::web {

#ifdef SOJOURN_WITH_PAGE
extern const unsigned char index_html[], icon_svg[], page_js[], page_css[];
extern const std::size_t index_html_size, icon_svg_size, page_js_size, page_css_size;

namespace {

std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

bool has_page() { return true; }

const PageFile* page_file(std::string_view path) {
  static const std::array<std::pair<std::string_view, PageFile>, 4> files = {{
      {"/", {"text/html; charset=utf-8", text_of(index_html, index_html_size)}},
      {"/page.js", {"text/javascript; charset=utf-8", text_of(page_js, page_js_size)}},
      {"/page.css", {"text/css; charset=utf-8", text_of(page_css, page_css_size)}},
      {"/icon.svg", {"image/svg+xml", text_of(icon_svg, icon_svg_size)}},
  }};
  for (const auto& [name, file] : files)
    if (name == path) return &file;
  return nullptr;
}

#else

bool has_page() { return false; }

const PageFile* page_file(std::string_view path) {
  static constexpr PageFile sentence = {
      "text/plain; charset=utf-8",
      "This sojourn was built without its page: run `tools/setup page` and build it anew.\n"
      "/api/v1/status and /metrics are there.\n"};
  return path == "/" ? &sentence : nullptr;
}

#endif

}  // namespace sojourn::web
