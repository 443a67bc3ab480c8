// Frames at the edge of what is well-formed: the kernel's program skips them for the parser's
// reasons.
#include <gtest/gtest.h>

#include "dataplane/dataplane_options.h"
#include "dataplane/test_user_program.h"
#include "wire/skip.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

constexpr int found = -1;

int reason_for(const Bytes& frame) {
  DataplaneOptions options;
  options.replay = true;
  UserProgram program{make_config(options)};
  return program.process(packet_of(frame));
}
int number_of(Skip skip) { return static_cast<int>(skip); }

TEST(UserProgram, AnIpPacketMayBeEmpty) {
  const Bytes header = ipv4({}, IpProtocol::udp, {});
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv4, header + zeros(26))),
            number_of(Skip::truncated_transport));
  Bytes shorter = header;
  shorter[3] = std::byte{19};
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv4, shorter + zeros(26))),
            number_of(Skip::bad_ip_length));
}

TEST(UserProgram, ADatagramMayBeEmpty) {
  const Bytes empty = ipv4({}, IpProtocol::udp, udp(40'000, 9, {}));
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv4, empty)), number_of(Skip::not_paired));
  Bytes shorter = empty;
  shorter[25] = std::byte{7};
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv4, shorter)), number_of(Skip::bad_udp_length));
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv4,
                                ipv4({}, IpProtocol::udp, udp(40'000, 53, dns(1, false, "a"))))),
            found);
}

// IEEE 802.3: up to 1500 it is a length, from 1536 on a type.
TEST(UserProgram, EtherTypesBeginAt1536) {
  EXPECT_EQ(reason_for(ethernet(0x0600, zeros(46))), number_of(Skip::unknown_ethertype));
  EXPECT_EQ(reason_for(ethernet(0x05ff, zeros(46))), number_of(Skip::not_ip));
}

// What fills a frame up to 60 bytes is not of the packet.
TEST(UserProgram, PaddingIsNoExtensionHeader) {
  const Bytes cut = ipv6({}, IpProtocol::hop_by_hop, bytes_of({17, 0, 1, 4}));
  EXPECT_EQ(reason_for(ethernet(EtherType::ipv6, cut + zeros(24))), number_of(Skip::truncated_ip));
}

}  // namespace
}  // namespace sojourn
