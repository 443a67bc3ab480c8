#pragma once
// Which addresses a DNS response gives to the name that was asked for.

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
/// behind it.  nullopt if it is not all there or not a name.  Compression points backwards only
/// (RFC 1035 section 4.1.4), so that it ends.  A dot within a label becomes "\.".
std::optional<std::string> read_dns_name(std::span<const std::byte> message, std::size_t& at);

/// Calls `found(name asked for, address)` for each A and AAAA record among the answers: the names
/// between (CNAME) are the affair of servers.  What the capture cuts off is not seen.
void read_dns_addresses(std::span<const std::byte> message,
                        const std::function<void(std::string_view, const IpAddress&)>& found);

}  // namespace sojourn
