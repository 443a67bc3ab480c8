#pragma once
// What an interface has sent so far, as its driver counts.

#include <cstdint>

#include "capture/unique_fd.h"
#include "core/result.h"

namespace sojourn {

/// Asks the kernel by netlink (RTM_GETSTATS): that needs no privilege, and no /sys of the right
/// network namespace.
class InterfaceCounters {
 public:
  static Result<InterfaceCounters> open(int index);
  /// Bytes sent, link headers included; the last answer if the kernel has none now.
  std::uint64_t sent_bytes();

 private:
  UniqueFd socket_;
  int index_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace sojourn
