#include "wire/headers/dns.h"

#include <algorithm>
#include <cstring>

#include "core/hash.h"
#include "wire/headers/cursor.h"

namespace sojourn {
namespace {

// The token only has to distinguish the few exchanges that share a flow and an identifier, and
// tables hash it again with a secret.  So this hash has a fixed key.
constexpr HashKey question_key = HashKey::from_seed(0x1035);

/// Lower case of eight characters at once.  RFC 4343: only A to Z fold, and senders may mix cases
/// at random ("0x20").  Label lengths, at most 63, lie below 'A' and stay as they are.
constexpr std::uint64_t fold_case(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101u, tops = 0x80 * ones;
  const std::uint64_t low = word & ~tops;
  const std::uint64_t from_a = low + (0x80 - 'A') * ones, beyond_z = low + (0x7f - 'Z') * ones;
  const std::uint64_t upper = (from_a ^ beyond_z) & ~word & tops;
  return word | upper >> 2;
}
static_assert(fold_case(0x405a415b617a80c1u) == 0x407a615b617a80c1u);

/// Length of the uncompressed name at the front of `bytes`, with its final zero.  0 if it is
/// incomplete or invalid: longer than 255 bytes, or compressed, which is impossible in the first
/// name of a message.
std::size_t name_length(std::span<const std::byte> bytes) {
  constexpr std::size_t longest_name = 255, longest_label = 63;
  std::size_t at = 0;
  while (at < bytes.size() && at < longest_name) {
    const auto label = std::to_integer<std::size_t>(bytes[at]);
    if (label > longest_label) return 0;
    at += label + 1;
    if (label == 0) return at;
  }
  return 0;
}

/// Hash of name, type and class; 0 if they are incomplete.
std::uint64_t hash_question(std::span<const std::byte> question, std::uint8_t opcode) {
  const std::size_t name = name_length(question);
  constexpr std::size_t type_and_class = 4;
  if (name == 0 || question.size() - name < type_and_class) return 0;

  std::uint64_t state = opcode;
  for (std::size_t at = 0; at < name; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, &question[at], std::min(sizeof word, name - at));
    state = keyed_hash(question_key, state, fold_case(word));
  }
  return keyed_hash(question_key, state, load_network<std::uint32_t>(&question[name]));
}

}  // namespace

std::optional<DnsMessage> parse_dns_message(std::span<const std::byte> captured) {
  Cursor cursor{captured};
  const auto* header = cursor.take<DnsHeader>();
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
