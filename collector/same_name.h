#pragma once
// Two points of one name that are there at the same time.

#include <cstdint>
#include <optional>

#include "core/time.h"

namespace sojourn {

/// A restarted point reports under a new instance; reports of the old instance in its spool were
/// made before the restart.  So if an instance makes reports after a newer one began, and the two
/// alternate, they are two points with one name, and their counts get mixed.
class SameName {
 public:
  static constexpr unsigned turns_needed = 2;

  /// A report of an instance that began then, and made the report at `exported`; true if the newer
  /// instance and this one report by turns.
  bool heard(std::uint32_t instance, Timestamp began, Timestamp exported) {
    if (!newest_ || (instance != *newest_ && began > newest_began_)) {
      newest_ = instance;
      newest_began_ = began;
      turns_ = 0;
    }
    if (instance == *newest_) {
      newest_spoke_ = true;
      return false;
    }
    if (exported <= newest_began_) return false;
    if (newest_spoke_ && turns_ < turns_needed) ++turns_;
    newest_spoke_ = false;
    return turns_ >= turns_needed;
  }

 private:
  std::optional<std::uint32_t> newest_;
  Timestamp newest_began_{};
  bool newest_spoke_ = false;
  unsigned turns_ = 0;
};

}  // namespace sojourn
