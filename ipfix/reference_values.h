#pragma once
// The values of one record of reference packets, and which of them can be.

#include <cstdint>
#include <span>
#include <vector>

#include "ipfix/template.h"
#include "store/references/reference_interval.h"

namespace sojourn::ipfix {

/// Between two reports of a point, and of an interval: a week.
inline constexpr std::uint64_t most_interval_ns = 7 * 86'400'000'000'000;

/// Collects a record's fields, whatever their order and lengths: of a flow, or of an interval.
class ReferenceValues {
 public:
  void take(const Field& field, std::span<const std::byte> bytes, std::uint32_t enterprise);

  /// No value is out of its range, and no part is larger than its whole.
  bool possible() const;
  /// Puts the record into its interval, behind those that are there.
  void tell(std::vector<ReferenceInterval>& intervals) const;

 private:
  void take_standard(Element element, std::span<const std::byte> bytes);
  void take_own(OwnElement element, std::span<const std::byte> bytes);

  Timestamp begin_{}, end_{};
  ReferenceFlow flow_;
  ReferenceSeen seen_;
  bool is_flow_ = false;
};

}  // namespace sojourn::ipfix
