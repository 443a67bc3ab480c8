#pragma once
// The values of one record of alternate marking, and which of them can be.

#include <cstdint>
#include <span>
#include <string>

#include "ipfix/template.h"
#include "store/marks/mark_count.h"

namespace sojourn::ipfix {

/// Sums of such counts fit into 64 bits, and differences of such times: what a file of records may
/// hold as well (export/marking/marking_report_csv.cpp).
inline constexpr std::uint64_t most_packets = 1'000'000'000'000'000;

/// Collects a record's fields, whatever their order and lengths.
class MarkValues {
 public:
  void take(const Field& field, std::span<const std::byte> bytes, std::uint32_t enterprise);

  /// No value is out of its range, the doubt is one of MarkingFault, the flow can be read.
  bool possible() const;
  const MarkCount& count() const { return count_; }

 private:
  void take_own(OwnElement element, std::span<const std::byte> bytes);

  MarkCount count_;
  std::uint64_t late_ns_ = 0, early_ns_ = 0;
};

/// Duty, method, carrier and interval are ones that we know.
bool is_possible(const MarkingRun& run);
/// The interval of that number begins when the record says.
bool is_of(const MarkCount& count, const MarkingRun& run);

std::string text_of(std::span<const std::byte> bytes);

}  // namespace sojourn::ipfix
