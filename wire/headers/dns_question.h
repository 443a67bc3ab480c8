#pragma once
// What a DNS message asks, and how it was answered.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sojourn {

/// The first question, RFC 1035 section 4.1.2.
struct DnsQuestion {
  std::string name;  ///< in lower case, at most 510 bytes of any kind; "." is the root
  std::uint16_t type = 0;
  std::optional<std::uint8_t> code;  ///< of an answer: the header's four bits
};

/// nullopt if there is none, or the capture cuts it off.
std::optional<DnsQuestion> read_dns_question(std::span<const std::byte> message);

}  // namespace sojourn
