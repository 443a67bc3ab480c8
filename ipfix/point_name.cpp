#include "ipfix/point_name.h"

#include <cstddef>

#include "core/printable.h"

namespace sojourn::ipfix {
namespace {

constexpr std::size_t longest_bytes = 255;

}  // namespace

bool is_point_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_bytes &&
         name.find_first_of(" ,:") == std::string_view::npos &&
         printable(name, longest_bytes) == name;
}

}  // namespace sojourn::ipfix
