#include "console/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

namespace sojourn {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool color_wanted() { return screen_there() && environment("NO_COLOR").empty(); }

bool unicode_wanted() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool screen_there() {
  const std::string terminal = environment("TERM");
  return isatty(STDOUT_FILENO) != 0 && !terminal.empty() && terminal != "dumb";
}

ScreenSize screen_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace sojourn
