#include "dataplane/kernel_sample.h"

#include <bit>
#include <span>
#include <utility>

#include "wire/skip.h"

namespace sojourn {
namespace {

// The numbers of abi.h are those of the enumerations, or counters would bear the wrong names.
static_assert(DP_TCP == index_of(Kind::tcp) && DP_HANDSHAKE == index_of(Kind::handshake) &&
              DP_TCP_TS == index_of(Kind::tcp_ts) && DP_DNS == index_of(Kind::dns) &&
              DP_NTP == index_of(Kind::ntp) && DP_ICMP == index_of(Kind::icmp) &&
              DP_KINDS >= paired_kind_count);
static_assert(DP_SERVER == index_of(Leg::server) && DP_CLIENT == index_of(Leg::client) &&
              DP_SUM == index_of(Leg::sum));

constexpr bool is(dp_skip number, Skip skip) { return number == static_cast<int>(skip); }
static_assert(is(DP_NOT_PAIRED, Skip::not_paired) && is(DP_NOT_WANTED, Skip::not_wanted) &&
              is(DP_NOT_IP, Skip::not_ip) && is(DP_FRAGMENT, Skip::fragment) &&
              is(DP_UNKNOWN_ETHERTYPE, Skip::unknown_ethertype) &&
              is(DP_UNKNOWN_PROTOCOL, Skip::unknown_protocol) &&
              is(DP_ENCRYPTED, Skip::encrypted) && is(DP_COMPRESSED, Skip::compressed) &&
              is(DP_TRUNCATED_LINK, Skip::truncated_link) &&
              is(DP_TRUNCATED_IP, Skip::truncated_ip) &&
              is(DP_TRUNCATED_TRANSPORT, Skip::truncated_transport) &&
              is(DP_BAD_IP_VERSION, Skip::bad_ip_version) &&
              is(DP_BAD_IP_LENGTH, Skip::bad_ip_length) &&
              is(DP_BAD_TCP_OFFSET, Skip::bad_tcp_offset) &&
              is(DP_BAD_UDP_LENGTH, Skip::bad_udp_length) && is(DP_TOO_DEEP, Skip::too_deep) &&
              DP_SKIPS >= SkipCounters::size);

IpAddress address(const __u8 (&bytes)[16], bool is_ipv6) {
  const auto* const at = reinterpret_cast<const std::byte*>(bytes);
  return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{at, 16})
                 : IpAddress::v4(std::span<const std::byte, 4>{at, 4});
}

}  // namespace

Sample describe(const dp_sample& found, double weight, Duration clock_offset) {
  const bool is_ipv6 = (found.flags & DP_IPV6) != 0;
  Sample sample;
  sample.time = timestamp_from_ns(static_cast<std::int64_t>(found.time_ns)) + clock_offset;
  sample.delay = Duration{found.delay_ns};
  sample.weight = weight;
  sample.kind = static_cast<Kind>(found.kind);
  sample.leg = static_cast<Leg>(found.leg);
  sample.requester_is_server = (found.flags & DP_REQUESTER_IS_SERVER) != 0;
  sample.requester = address(found.destination, is_ipv6);
  sample.responder = address(found.source, is_ipv6);
  sample.requester_port = std::byteswap(found.destination_port);
  sample.responder_port = std::byteswap(found.source_port);
  sample.vlan = found.vlan;
  if (found.flags & DP_SENT_BY_REQUESTER) {
    std::swap(sample.requester, sample.responder);
    std::swap(sample.requester_port, sample.responder_port);
  }
  return sample;
}

}  // namespace sojourn
