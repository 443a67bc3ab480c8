#include "wire/dns.h"

#include "core/hash.h"
#include "wire/cursor.h"

namespace sojourn {
namespace {

// The token only has to tell apart the few exchanges that share a flow and an identifier; whoever
// stores it hashes it again with a secret.  So this hash has a fixed key.
constexpr HashKey question_key = HashKey::from_seed(0x1035);

/// RFC 4343: only A to Z fold, and senders may mix cases at random ("0x20").  In length bytes, at
/// most 63, the bit is clear in both.
constexpr std::uint64_t fold_case(std::byte byte) {
  const auto value = std::to_integer<std::uint64_t>(byte);
  return value >= 'A' && value <= 'Z' ? value | 0x20u : value;
}

/// Feeds bytes eight at a time into a keyed hash.
class ByteHash {
 public:
  explicit ByteHash(std::uint64_t start) : state_(start) {}

  void add(std::uint64_t byte) {
    pending_ = pending_ << 8 | byte;
    if (++count_ % 8 == 0) absorb();
  }
  std::uint64_t finish() {
    absorb();
    return keyed_hash(question_key, state_, count_);
  }

 private:
  void absorb() {
    state_ = keyed_hash(question_key, state_, pending_);
    pending_ = 0;
  }

  std::uint64_t state_;
  std::uint64_t pending_ = 0;
  std::uint64_t count_ = 0;
};

/// Hash of name, type and class.  0 if they are not all there, or the name is not one: longer than
/// 255 bytes, or compressed, which makes no sense in the first name of a message.
std::uint64_t hash_question(std::span<const std::byte> question, std::uint8_t opcode) {
  constexpr std::size_t longest_name = 255, longest_label = 63, type_and_class = 4;
  ByteHash hash{opcode};
  std::size_t at = 0;
  while (true) {
    if (at >= question.size() || at >= longest_name) return 0;
    const auto label = std::to_integer<std::size_t>(question[at]);
    if (label > longest_label) return 0;
    if (question.size() - at <= label) return 0;
    for (const std::byte byte : question.subspan(at, label + 1)) hash.add(fold_case(byte));
    at += label + 1;
    if (label == 0) break;
  }
  if (question.size() - at < type_and_class) return 0;
  for (const std::byte byte : question.subspan(at, type_and_class))
    hash.add(std::to_integer<std::uint64_t>(byte));
  return hash.finish();
}

}  // namespace

std::optional<DnsMessage> parse_dns_message(std::span<const std::byte> captured) {
  Cursor cursor{captured};
  const auto header = cursor.take<DnsHeader>();
  if (!header) return std::nullopt;
  constexpr std::uint8_t unassigned = 3, last_opcode = 6;
  if (header->opcode() == unassigned || header->opcode() > last_opcode) return std::nullopt;

  const std::uint64_t question =
      header->questions > 0 ? hash_question(cursor.captured(), header->opcode()) : 0;
  return DnsMessage{.response = header->is_response(),
                    .token = question << 16 | std::uint16_t{header->identifier},
                    .size = static_cast<std::uint32_t>(captured.size())};
}

}  // namespace sojourn
