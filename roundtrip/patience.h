#pragma once
// How long a request waits for its response (the timeout).

#include <cstdint>

#include "core/time.h"
#include "roundtrip/pair_event.h"

namespace sojourn {

/// A later response matches nothing.  All tables use the same limit, so all of them estimate the
/// same set of pairs, the one that ExactTable finds.
struct Patience {
  Duration expire = std::chrono::seconds{10};
  Duration expire_long_lived = std::chrono::hours{1};  ///< with RequestFlag::long_lived

  bool is_over(std::int64_t sent_ns, std::int64_t now_ns, bool is_long_lived) const {
    return difference_ns(now_ns, sent_ns) > to_ns(is_long_lived ? expire_long_lived : expire);
  }
};

}  // namespace sojourn
