// Bytes as a packet: two bytes choose the link type and where the capture cuts, the rest is the
// packet.  For any input the parser reads nothing past the end and reaches one outcome, and its
// fast path agrees with the walk.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "wire/headers/dns.h"
#include "wire/ip_packet.h"
#include "wire/parser.h"
#include "wire/summarize.h"
#include "wire/tunnel_name.h"

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

/// Everything that the pairing rules may do with a summary.
void use(const Summary& summary, const std::vector<std::byte>& bytes) {
  const std::byte* const end = bytes.data() + bytes.size();
  require(summary.ip >= bytes.data() && summary.ip + summary.ip_captured <= end);
  require(summary.ip_captured >= (summary.is_ipv6 ? 40 : 20));
  require(summary.payload_offset >= (summary.is_ipv6 ? 48 : 28));
  (void)summary.source();
  (void)summary.destination();
  require(summary.origin == 0 || summary.origin == Summary::far_away ||
          summary.ip - summary.origin >= bytes.data());
  require((summary.origin == 0) == tunnel_name(summary).empty());
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

/// The fast paths must agree with the walk on all packets they accept.
void compare_ways(const Packet& packet, const HashKey& key, const Parser& parser,
                  const Summary* summary) {
  Summary general;
  const auto skip = summarize(packet, key, Wanted{KindSet::all()}, general);
  require(skip.has_value() == (summary == nullptr));
  if (summary) {
    require(general.flow == summary->flow && general.ip == summary->ip);
    require(general.token() == summary->token() && general.content == summary->content);
    require(general.payload == summary->payload && general.vlan == summary->vlan);
    require(general.payload_offset == summary->payload_offset);
    require(general.ip_captured == summary->ip_captured);
    require(general.has_timestamps == summary->has_timestamps);
    require(general.ts_value == summary->ts_value && general.ts_echo == summary->ts_echo);
    require(general.source_is_low == summary->source_is_low);
    require(general.origin == summary->origin);
  } else {
    require(parser.skipped()[*skip] == 1);
  }

  LocatedPacket at;
  const auto why = locate(packet, at);
  IpLocator locator{1};
  IpPacket found;
  const bool any = locator.locate({&packet, 1}, {&found, 1}) == 1;
  require(any == (at.inner.ip != nullptr));
  if (!any) return require(locator.skipped()[*why] == 1);
  require(found.ip == at.inner.ip && found.ip_length == at.inner.length);
  require(found.ip_captured == at.inner.captured && found.protocol == at.inner.protocol);
  require(found.transport_offset == at.inner.transport_offset);
  require(found.fragment_offset == at.inner.fragment_offset);
  require(at.outer.ip != nullptr && at.outer.ip <= at.inner.ip);
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
  compare_ways(packet, key, parser, written == 1 ? &summary : nullptr);
  if (written == 1) use(summary, bytes);
  return 0;
}
