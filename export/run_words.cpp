#include "export/run_words.h"

#include <fmt/format.h>

namespace sojourn {

std::string listening_line(std::string_view endpoint) {
  return fmt::format("listening on {}", endpoint);
}

std::string watching_line(std::string_view interface, std::string_view store) {
  return fmt::format("measuring {}, keeping it in {}", interface, store);
}

std::string page_line(std::string_view address, bool has_page) {
  return has_page ? fmt::format("open {}", address)
                  : fmt::format("API and metrics at {} (built without the page)", address);
}

}  // namespace sojourn
