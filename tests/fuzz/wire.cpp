// Bytes as a packet: two bytes choose the link type and where the capture cuts, the rest is the
// packet.  Whatever they are, the parser reads none past their end and reaches one outcome.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "wire/headers/dns.h"
#include "wire/parser.h"

using namespace sojourn;

namespace {

constexpr std::array links{LinkType::ethernet,
                           LinkType::null,
                           LinkType::ppp,
                           LinkType::raw,
                           LinkType::ppp_hdlc,
                           LinkType::ppp_ether,
                           LinkType::loop,
                           LinkType::cisco_hdlc,
                           LinkType::ieee80211,
                           LinkType::linux_cooked,
                           LinkType::ieee80211_radiotap,
                           LinkType::ipv4,
                           LinkType::ipv6,
                           LinkType::linux_cooked2};

void require(bool holds) {
  if (!holds) std::abort();
}

/// All that the pairing rules may do with a summary.
void use(const Summary& summary, const std::vector<std::byte>& bytes) {
  const std::byte* const end = bytes.data() + bytes.size();
  require(summary.ip >= bytes.data() && summary.ip + summary.ip_captured <= end);
  require(summary.ip_captured >= (summary.is_ipv6 ? 40 : 20));
  require(summary.payload_offset >= (summary.is_ipv6 ? 48 : 28));
  (void)summary.source();
  (void)summary.destination();
  if (summary.content != Content::tcp || summary.ip_captured <= summary.payload_offset) return;

  const std::span payload{summary.ip + summary.payload_offset,
                          std::size_t{summary.ip_captured} - summary.payload_offset};
  require(payload.size() <= summary.payload);
  std::size_t messages = 0;
  const auto next =
      walk_dns_stream(payload, summary.payload, {}, [&](const DnsMessage&) { ++messages; });
  require(messages <= payload.size() / sizeof(DnsHeader));
  require(!next || next->offset >= summary.payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const LinkType link = links[data[0] % links.size()];
  const auto* const first = reinterpret_cast<const std::byte*>(data + 2);
  const std::vector<std::byte> bytes(first,
                                     first + (size - 2));  // exactly sized: ASan sees its end
  const auto captured = static_cast<std::uint32_t>(bytes.size());
  // The second byte makes the packet longer on the wire than in the capture.
  const Packet packet{{}, bytes.data(), captured, captured + data[1] * 8u, link};

  static const HashKey key = HashKey::from_seed(1);
  Parser parser{key, KindSet::all()};
  Summary summary;
  const std::size_t written = parser.summarize({&packet, 1}, {&summary, 1}, 0);
  require(written + parser.skipped().total() == 1);
  if (written == 1) use(summary, bytes);
  return 0;
}
