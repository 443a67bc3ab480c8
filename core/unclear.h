#pragma once
// Why an exchange between the two ends of a connection could not be timed although it was answered.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/enum_counters.h"

namespace sojourn {

/// Kinds response and tls: these exchanges are ambiguous and give no samples.
enum class Unclear : std::uint8_t {
  sent_again,      ///< a part of it passed twice, so either copy may have been answered (Karn)
  gap,             ///< a part of it did not pass here, or late
  overlapping,     ///< one end sent before it could have received: pipelining, pushed data
  several_writes,  ///< the request came in pieces, and any of them may have been answered
  early_data,      ///< tls: application data before the ServerHello
  refused,         ///< tls: the reply was not a ServerHello
  count_
};
using UnclearCounters = EnumCounters<Unclear>;

inline constexpr std::array<std::string_view, UnclearCounters::size> unclear_names = {
    "sent_again", "gap", "overlapping", "several_writes", "early_data", "refused"};
inline constexpr std::array<std::string_view, UnclearCounters::size> unclear_words = {
    "sent again",        "with a gap",      "overlapping the answer before",
    "in several writes", "with early data", "refused"};

}  // namespace sojourn
