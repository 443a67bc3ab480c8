#pragma once
// Which addresses a DNS response gives for the name in its question.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/address.h"

namespace sojourn {

/// The name at `at`, in lower case with dots between its labels and none at its end; `at` moves
/// behind it.  nullopt if it is incomplete or invalid.  Compression pointers only point backwards
/// (RFC 1035 section 4.1.4), so the loop ends.  A dot within a label becomes "\.".
std::optional<std::string> read_dns_name(std::span<const std::byte> message, std::size_t& at);

/// Calls `found(name in the question, address)` for each A and AAAA record among the answers; the
/// aliases between them (CNAME) are ignored.  Records cut off by the capture are not found.
void read_dns_addresses(std::span<const std::byte> message,
                        const std::function<void(std::string_view, const IpAddress&)>& found);

}  // namespace sojourn
