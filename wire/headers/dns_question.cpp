#include "wire/headers/dns_question.h"

#include "wire/headers/cursor.h"
#include "wire/headers/dns.h"
#include "wire/headers/dns_addresses.h"

namespace sojourn {

std::optional<DnsQuestion> read_dns_question(std::span<const std::byte> message) {
  Cursor cursor{message};
  const auto* header = cursor.take<DnsHeader>();
  if (!header || header->questions == 0) return std::nullopt;
  std::size_t at = sizeof(DnsHeader);
  auto name = read_dns_name(message, at);
  constexpr std::size_t type_and_class = 4;
  if (!name || message.size() - at < type_and_class) return std::nullopt;
  DnsQuestion question;
  question.name = name->empty() ? "." : std::move(*name);
  question.type = load_network<std::uint16_t>(&message[at]);
  if (header->is_response()) question.code = static_cast<std::uint8_t>(header->flags & 0xfu);
  return question;
}

}  // namespace sojourn
