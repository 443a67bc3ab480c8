#include "core/units.h"

#include <sojourn/units.h>

#include "library/inside.h"

namespace sojourn::v0 {

Result<std::int64_t> parse_duration_ns(std::string_view text) {
  const auto duration = sojourn::parse_duration(text);
  if (!duration) return error_of(duration.error());
  return to_ns(*duration);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto size = sojourn::parse_size(text);
  if (!size) return error_of(size.error());
  return *size;
}

}  // namespace sojourn::v0
