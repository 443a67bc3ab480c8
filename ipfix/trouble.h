#pragma once
// What can be wrong with what a peer sends.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/enum_counters.h"

namespace sojourn::ipfix {

enum class Trouble : std::uint8_t {
  short_message,       // fewer bytes than the header has
  other_version,       // NetFlow 9, or no IPFIX at all
  wrong_length,        // the header's length is not the message's
  bad_set,             // a set that is shorter than its header or longer than the message
  reserved_set,        // set numbers 0, 1 and 4 to 255
  bad_template,        // number below 256, no fields, records of no bytes, cut in the middle
  too_many_fields,     // beyond Limits
  too_many_templates,  // beyond Limits
  too_many_domains,    // beyond Limits
  without_template,    // a data set whose template was never announced
  bad_record,          // a record that does not end within its set
  bad_value,           // a record with a value that cannot be
  count_
};
using TroubleCounters = EnumCounters<Trouble>;

inline constexpr std::array<std::string_view, TroubleCounters::size> trouble_names = {
    "short-message",    "other-version",    "wrong-length",    "bad-set",
    "reserved-set",     "bad-template",     "too-many-fields", "too-many-templates",
    "too-many-domains", "without-template", "bad-record",      "bad-value"};
constexpr std::string_view name_of(Trouble trouble) {
  return trouble_names[static_cast<std::size_t>(trouble)];
}

}  // namespace sojourn::ipfix
