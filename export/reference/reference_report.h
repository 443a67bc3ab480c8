#pragma once
// Delays that a point got from reference packets, for people and for programs.

#include <cstddef>
#include <string>
#include <string_view>

#include "core/time.h"
#include "pipeline/reference/reference_sending.h"
#include "store/references/reference_interval.h"
#include "store/references/reference_sums.h"

namespace sojourn {

/// A line of totals, which begins with `where` ("12:00:01 eth0"), and the `top` flows with the most
/// packets.
std::string reference_text(const ReferenceInterval& interval, std::string_view where,
                           std::size_t top);
/// One line of JSON, including its end.  `field` says what `where` is: "interface" or "point".
std::string reference_json(const ReferenceInterval& interval, std::string_view field,
                           std::string_view where);

/// The same for many intervals of a point as one, at most `top` flows.
std::string reference_sums_text(std::string_view point, const ReferenceSums& sums, std::size_t top);
/// What begins a point's line about an interval: "12:00:01 eth0".
std::string reference_heading(Timestamp begin, std::string_view interface);

/// What a sender of reference packets did.  `adaptive`: with how busy the link was.
std::string reference_sent_text(std::string_view interface, std::string_view destination,
                                const ReferenceSendingCounters& sent, bool adaptive);
/// One line of JSON, including its end.
std::string reference_sent_json(std::string_view interface, const ReferenceSendingCounters& sent);

std::string_view reference_csv_header();
std::string reference_csv(const ReferenceInterval& interval);

}  // namespace sojourn
