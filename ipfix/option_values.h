#pragma once
// The values of one options record of a point: who it is, how it selects, its clock, its counters.

#include <cstdint>
#include <span>

#include "collector/report/point_report.h"
#include "ipfix/template.h"

namespace sojourn::ipfix {

/// Collects a record's fields, whichever of the point's options templates it belongs to.
class OptionValues {
 public:
  void take(const Field& field, std::span<const std::byte> bytes, std::uint32_t enterprise);

  /// No value is out of its range.
  bool possible() const;
  /// Puts what was told into the report; true if that is who sends it.
  bool tell(PointReport& report) const;

 private:
  void take_own(OwnElement element, std::span<const std::byte> bytes);
  void take_standard(Element element, std::span<const std::byte> bytes);

  PointIdentity point_;
  std::uint64_t number_ = 0;
  Timestamp time_{};
  std::uint64_t algorithm_ = 0;
  std::uint64_t payload_offset_ = 0, payload_bytes_ = 0;
  Selection selection_;
  ClockState clock_;
  std::uint64_t maximum_error_ns_ = 0;
  PointCounters counters_;
  MarkingRun marking_;
  std::uint64_t reference_every_ns_ = 0;
  bool has_instance_ = false, has_fingerprint_ = false, has_clock_ = false, has_counters_ = false,
       has_marking_ = false, has_references_ = false;
};

}  // namespace sojourn::ipfix
