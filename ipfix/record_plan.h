#pragma once
// A template compiled once, so that its records are read by a short list of steps.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collector/report/point_report.h"
#include "ipfix/template.h"

namespace sojourn::ipfix {

/// What the records of a template tell us.
enum class RecordKind : std::uint8_t {
  flow,                // addresses, and labels of the first and the last packet
  flow_without_label,  // a flow of somebody else: counted
  cell,                // a cell of round-trip delays
  mark,                // a flow in an interval of alternate marking
  reference,           // a flow in an interval of reference packets, or the interval itself
  options,             // about the point
  other                // nothing that we know
};

/// How a field becomes a value.
enum class Conversion : std::uint8_t {
  none,  // not for us: stepped over
  unsigned8,
  unsigned16,
  unsigned32,
  unsigned64,
  real,
  ipv4,
  ipv6,
  ntp_time,
  milliseconds,
  seconds,
  end_reason
};

/// Works for any template.  Unsigned fields may have any length up to 8 (RFC 7011 section 6.2).
class RecordPlan {
 public:
  /// `enterprise` is the number of our own elements.
  RecordPlan(Template announced, std::uint32_t enterprise);

  RecordKind kind() const { return kind_; }
  const Template& announced() const { return template_; }
  std::size_t least_bytes() const { return least_bytes_; }

  /// Reads records to the end of `set`, which is its content without its header, and appends them.
  /// Gives their number, or nothing when one does not end within the set; those before stay.
  std::optional<std::size_t> read_flows(std::span<const std::byte> set,
                                        std::vector<FlowRecord>& records) const;
  std::optional<std::size_t> read_cells(std::span<const std::byte> set,
                                        std::vector<RttCell>& cells) const;
  /// Only counts.
  std::optional<std::size_t> count(std::span<const std::byte> set) const;

  /// Calls visit(field, its bytes) for the fields of one record; false if it does not end within
  /// `rest`, which is moved behind it.
  template <class Visit>
  bool visit_record(std::span<const std::byte>& rest, Visit visit) const {
    for (const Field& field : template_.fields) {
      const auto content = take_field(field.length, rest);
      if (!content) return false;
      visit(field, *content);
    }
    return true;
  }

 private:
  struct Step {
    Conversion conversion = Conversion::none;
    std::uint16_t length = 0;  ///< bytes in the record, or `variable_length`
    std::uint32_t offset = 0;  ///< in the record, if all its fields have a fixed length
    std::uint16_t target = 0;  ///< offset in FlowRecord or RttCell
  };

  static std::optional<std::span<const std::byte>> take_field(std::uint16_t length,
                                                              std::span<const std::byte>& rest);
  static inline void convert(const Step& step, const std::byte* from, std::size_t length,
                             std::byte* to);  // used and defined in record_plan.cpp alone
  void find_kind(std::uint32_t enterprise);
  void compile(std::uint32_t enterprise);
  bool names(Element element) const;
  bool names(OwnElement element, std::uint32_t enterprise) const;
  template <class Record>
  std::optional<std::size_t> read(std::span<const std::byte> set,
                                  std::vector<Record>& records) const;

  Template template_;
  RecordKind kind_ = RecordKind::other;
  bool fixed_ = true;
  std::size_t least_bytes_ = 0;  ///< of every record, if `fixed_`
  std::vector<Step> steps_;
};

/// Big-endian, of 0 to 8 bytes.
inline std::uint64_t load_unsigned(const std::byte* from, std::size_t length) {
  switch (length) {
    case 1:
      return load<std::uint8_t>(from);
    case 2:
      return load<std::uint16_t>(from);
    case 4:
      return load<std::uint32_t>(from);
    case 8:
      return load<std::uint64_t>(from);
    default:
      break;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < length; ++i) value = value << 8 | std::to_integer<unsigned>(from[i]);
  return value;
}

/// Of 4 or 8 bytes; whatever else has no meaning.
double load_real(std::span<const std::byte> bytes);

}  // namespace sojourn::ipfix
