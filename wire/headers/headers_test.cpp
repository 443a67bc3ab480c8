// The structs of the headers against bytes as the RFCs draw them.

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "wire/headers/cursor.h"
#include "wire/headers/dns.h"
#include "wire/headers/ethernet.h"
#include "wire/headers/gre.h"
#include "wire/headers/icmp.h"
#include "wire/headers/internet_checksum.h"
#include "wire/headers/ipv6_chain.h"
#include "wire/headers/mpls.h"
#include "wire/headers/ntp.h"
#include "wire/headers/quic.h"
#include "wire/headers/tcp.h"
#include "wire/headers/tls.h"

namespace sojourn {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}
template <class Header>
const Header& as(const Bytes& bytes) {
  EXPECT_GE(bytes.size(), sizeof(Header));
  return *reinterpret_cast<const Header*>(bytes.data());
}

TEST(BigEndian, ReadsAndWritesNetworkOrder) {
  const Bytes bytes = bytes_of({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(load_network<std::uint16_t>(bytes.data()), 0x0102);
  EXPECT_EQ(load_network<std::uint32_t>(bytes.data()), 0x01020304u);
  EXPECT_EQ(load_network<std::uint64_t>(bytes.data()), 0x0102030405060708u);
  const Be32 written = 0x01020304u;
  EXPECT_EQ(std::memcmp(&written, bytes.data(), 4), 0);
  EXPECT_EQ(std::uint32_t{written}, 0x01020304u);
}

TEST(Cursor, ReadsNoFurtherThanTheCapture) {
  const Bytes bytes = bytes_of({1, 2, 3, 4, 5});
  Cursor cursor{bytes, 100};
  EXPECT_EQ(cursor.length(), 100u);
  EXPECT_EQ(*cursor.peek<std::uint8_t>(4), 5);
  EXPECT_EQ(cursor.peek<std::uint8_t>(5), nullptr);
  EXPECT_EQ(cursor.peek<Be16>(4), nullptr);
  EXPECT_EQ(cursor.peek<std::uint8_t>(~std::size_t{0}), nullptr);
  EXPECT_EQ(*cursor.take<Be16>(), 0x0102);
  EXPECT_EQ(cursor.length(), 98u);
  EXPECT_EQ(cursor.data(), bytes.data() + 2);
  EXPECT_FALSE(cursor.skip(4));
  EXPECT_EQ(cursor.length(), 98u) << "a skip that fails moves nothing";
  EXPECT_TRUE(cursor.skip(3));
  EXPECT_EQ(cursor.take<std::uint8_t>(), nullptr);
  EXPECT_TRUE(cursor.captured().empty());
}

TEST(Cursor, ALengthEndsPaddingAndMayExceedTheCapture) {
  const Bytes bytes = bytes_of({1, 2, 3, 4, 5});
  Cursor cursor{bytes};
  EXPECT_EQ(cursor.length(), 5u);
  cursor.set_length(3);
  EXPECT_EQ(cursor.captured().size(), 3u);
  cursor.set_length(50);
  EXPECT_EQ(cursor.length(), 50u);
  EXPECT_EQ(cursor.captured().size(), 3u);
  EXPECT_EQ((Cursor{bytes, 2}.length()), 5u) << "no shorter than what was captured";
}

// RFC 1071 section 3 has this example: the sum of 0001 f203 f4f5 f6f7 is ddf2.
TEST(InternetChecksum, AgreesWithTheExampleOfTheRfc) {
  const Bytes bytes = bytes_of({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7});
  EXPECT_EQ(word_sum(bytes), 0x2ddf0u);
  EXPECT_EQ(internet_checksum(bytes), static_cast<std::uint16_t>(~0xddf2));
  EXPECT_EQ(checksum_of_sum(0x2ddf0u), static_cast<std::uint16_t>(~0xddf2));
}

TEST(InternetChecksum, StartsAtNothingAndPadsAnOddByte) {
  EXPECT_EQ(word_sum({}), 0u);
  EXPECT_EQ(internet_checksum({}), 0xffff);
  EXPECT_EQ(word_sum(bytes_of({0x12})), 0x1200u);
  EXPECT_EQ(word_sum(bytes_of({0, 1, 2})), 0x0201u);
  EXPECT_EQ(checksum_of_sum(0xffffffffu), 0x0000) << "folded until nothing is carried";
}

// A ping from 10.0.0.1 to 10.0.0.2.
TEST(InternetChecksum, OfAHeaderThatHoldsItsOwnIsZero) {
  const Bytes header = bytes_of({0x45, 0x00, 0x00, 0x54, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01,
                                 0x26, 0xa7, 0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02});
  EXPECT_EQ(internet_checksum(header), 0);
  EXPECT_EQ(as<Ipv4Header>(header).checksum, 0x26a7);
}

// RFC 1624 section 4: HC dd2f, m 5555, m' 3285 give 0000.
TEST(InternetChecksum, IsUpdatedAsInTheExampleOfTheRfc) {
  EXPECT_EQ(updated_checksum(0xdd2f, 0x5555, 0x3285), 0x0000);
  EXPECT_EQ(updated_checksum(0x1234, 0xabcd, 0xabcd), 0x1234);
}

TEST(Ipv4Header, HasItsFieldsWhereTheRfcDrawsThem) {
  Bytes bytes = bytes_of({0x46, 0x2e, 0x01, 0x02, 0x03, 0x04, 0x20, 0x05, 63,  17,
                          0xaa, 0xbb, 192,  0,    2,    1,    198,  51,   100, 2});
  const auto& header = as<Ipv4Header>(bytes);
  EXPECT_EQ(header.version(), 4);
  EXPECT_EQ(header.length(), 24u);
  EXPECT_EQ(header.service, 0x2e);
  EXPECT_EQ(header.total_length, 0x0102);
  EXPECT_EQ(header.identification, 0x0304);
  EXPECT_TRUE(header.more_fragments());
  EXPECT_EQ(header.fragment_offset(), 40u);
  EXPECT_EQ(header.time_to_live, 63);
  EXPECT_EQ(header.protocol, IpProtocol::udp);
  EXPECT_EQ(header.checksum, 0xaabb);
  EXPECT_EQ(header.source, 0xc0000201u);
  EXPECT_EQ(header.destination, 0xc6336402u);
  bytes[6] = std::byte{0x5f}, bytes[7] = std::byte{0xff};  // DF and an offset
  EXPECT_FALSE(header.more_fragments());
  EXPECT_EQ(header.fragment_offset(), 0x1fffu * 8u);
}

Bytes ipv6_with(int next, std::initializer_list<int> behind) {
  Bytes bytes(40);
  bytes[0] = std::byte{0x60};
  bytes[6] = static_cast<std::byte>(next);
  for (const int value : behind) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Ipv6, ExtensionHeadersSayTheirLength) {
  EXPECT_EQ(as<Ipv6Header>(ipv6_with(6, {})).version(), 6);
  EXPECT_EQ((Ipv6Extension{IpProtocol::tcp, 0}).length(), 8u);
  EXPECT_EQ((Ipv6Extension{IpProtocol::tcp, 2}).length(), 24u);
  EXPECT_EQ((Ipv6Extension{IpProtocol::tcp, 4}).authentication_length(), 24u);
  const Bytes bytes = bytes_of({17, 0, 0x01, 0x09, 1, 2, 3, 4});
  const auto& fragment = as<Ipv6Fragment>(bytes);
  EXPECT_EQ(fragment.next_header, IpProtocol::udp);
  EXPECT_EQ(fragment.fragment_offset(), 0x108u);
  EXPECT_TRUE(fragment.more_fragments());
  EXPECT_EQ(fragment.identification, 0x01020304u);
  EXPECT_FALSE((Ipv6Fragment{.offset_and_more = 0xfff8}).more_fragments());
}

TEST(Ipv6Chain, StandsAtOneHeaderAfterTheOther) {
  const Bytes bytes = ipv6_with(0, {60, 0, 0, 0, 0, 0, 0, 0,  // hop-by-hop
                                    51, 1, 0, 0, 0, 0, 0, 0,  // destination options, 16 bytes
                                    0,  0, 0, 0, 0, 0, 0, 0,  //
                                    6,  4});                  // authentication, 24 bytes, cut
  Ipv6Chain chain{bytes};
  EXPECT_TRUE(chain.is_first());
  EXPECT_EQ(chain.number(), IpProtocol::hop_by_hop);
  EXPECT_EQ(chain.offset(), 40u);
  EXPECT_EQ(chain.announced_at(), 6u);
  ASSERT_EQ(chain.length(), 8u);
  EXPECT_TRUE(chain.holds(8));
  chain.pass(8);
  EXPECT_FALSE(chain.is_first());
  EXPECT_EQ(chain.number(), IpProtocol::destination_options);
  EXPECT_EQ(chain.offset(), 48u);
  EXPECT_EQ(chain.announced_at(), 40u);
  ASSERT_EQ(chain.length(), 16u);
  chain.pass(16);
  EXPECT_EQ(chain.number(), IpProtocol::authentication);
  EXPECT_EQ(chain.announced_at(), 48u);
  ASSERT_EQ(chain.length(), 24u) << "in words of its own";
  EXPECT_FALSE(chain.holds(24));
  EXPECT_TRUE(chain.holds(2));
  EXPECT_FALSE(chain.too_long());
}

TEST(Ipv6Chain, KnowsWhenTheCaptureEnds) {
  const Bytes cut = ipv6_with(0, {60});
  EXPECT_EQ(Ipv6Chain{cut}.length(), std::nullopt);
  EXPECT_FALSE(Ipv6Chain{cut}.holds(2));
  EXPECT_TRUE(Ipv6Chain{cut}.holds(1));
}

TEST(Ipv6Chain, EndsAfterTwelve) {
  Bytes bytes = ipv6_with(60, {});
  for (int i = 0; i < 12; ++i)
    for (const int value : {60, 0, 0, 0, 0, 0, 0, 0})
      bytes.push_back(static_cast<std::byte>(value));
  Ipv6Chain chain{bytes};
  for (int i = 0; i < 12; ++i) {
    ASSERT_FALSE(chain.too_long());
    chain.pass(8);
  }
  EXPECT_TRUE(chain.too_long());
}

TEST(Ipv6Chain, TellsExtensionsFromWhatTheyCarry) {
  for (const IpProtocol plain : {IpProtocol::hop_by_hop, IpProtocol::routing,
                                 IpProtocol::destination_options, IpProtocol::mobility}) {
    EXPECT_TRUE(is_plain_extension(plain));
    EXPECT_TRUE(has_extensions(plain));
  }
  for (const IpProtocol other : {IpProtocol::fragment, IpProtocol::no_next}) {
    EXPECT_FALSE(is_plain_extension(other));
    EXPECT_TRUE(has_extensions(other));
  }
  for (const IpProtocol carried :
       {IpProtocol::tcp, IpProtocol::udp, IpProtocol::esp, IpProtocol::authentication})
    EXPECT_FALSE(has_extensions(carried));
}

TEST(VlanTag, HasTwelveBitsOfIdentifier) {
  EXPECT_EQ(as<VlanTag>(bytes_of({0xf1, 0x23, 0x08, 0x00})).identifier(), 0x123);
  EXPECT_EQ(as<VlanTag>(bytes_of({0xf1, 0x23, 0x08, 0x00})).type, 0x0800);
}

TEST(MplsLabel, SaysWhetherItIsTheLast) {
  EXPECT_TRUE(as<MplsLabel>(bytes_of({0, 0x06, 0x41, 64})).bottom());
  EXPECT_FALSE(as<MplsLabel>(bytes_of({0, 0x06, 0x40, 64})).bottom());
}

TEST(GreHeader, SaysWhichFieldsFollow) {
  const auto optional = [](std::uint16_t flags) { return GreHeader{flags, {}}.optional_length(); };
  EXPECT_EQ(optional(0), 0u);
  EXPECT_EQ(optional(GreHeader::has_checksum), 4u);
  EXPECT_EQ(optional(GreHeader::has_routing), 4u);
  EXPECT_EQ(optional(GreHeader::has_checksum | GreHeader::has_routing), 4u);
  EXPECT_EQ(optional(GreHeader::has_key), 4u);
  EXPECT_EQ(optional(GreHeader::has_sequence), 4u);
  EXPECT_EQ(optional(0xb000), 12u);
  EXPECT_EQ((GreHeader{0x3081, {}}).version(), 1u);
  EXPECT_TRUE((GreHeader{0x0080, {}}).has(GreHeader::has_acknowledgment));
}

TEST(TcpHeader, FindsItsTimestampsAmongOptions) {
  const auto found = [](std::initializer_list<int> options) {
    return find_tcp_timestamps(bytes_of(options));
  };
  const auto plain = found({8, 10, 0, 0, 0, 1, 0, 0, 0, 2});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->value, 1u);
  EXPECT_EQ(plain->echo, 2u);
  EXPECT_TRUE(found({1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}));
  EXPECT_TRUE(found({2, 4, 5, 0xb4, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})) << "behind the MSS";
  EXPECT_FALSE(found({0, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})) << "behind the end";
  EXPECT_FALSE(found({8, 10, 0, 0, 0, 1, 0, 0, 0})) << "cut";
  EXPECT_FALSE(found({8, 9, 0, 0, 0, 1, 0, 0, 0})) << "of another length";
  EXPECT_FALSE(found({2, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})) << "an option of one byte";
  EXPECT_FALSE(found({2, 0, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})) << "of none";
  EXPECT_FALSE(found({8}));
  EXPECT_EQ((TcpHeader{.data_offset = 0x80}).length(), 32u);
}

TEST(IcmpEcho, TokenIsIdentifierAndSequence) {
  EXPECT_EQ(as<IcmpEcho>(bytes_of({8, 0, 0, 0, 1, 2, 3, 4})).token(), 0x01020304u);
}

TEST(NtpHeader, ModeIsInTheLowestBits) {
  EXPECT_EQ((NtpHeader{.leap_version_mode = 0xe4}).mode(), NtpMode::server);
  for (const int mode : {0, 1, 2, 3, 4, 5, 6, 7}) {
    EXPECT_EQ(is_ntp_request(static_cast<NtpMode>(mode)), mode == 1 || mode == 3);
    EXPECT_EQ(is_ntp_response(static_cast<NtpMode>(mode)), mode == 2 || mode == 4);
  }
}

TEST(Quic, LongHeadersAreKnownByTheirVersion) {
  const auto glance = [](int first, std::uint32_t version, int id_length) {
    Bytes bytes = bytes_of({first, static_cast<int>(version >> 24), static_cast<int>(version >> 16),
                            static_cast<int>(version >> 8), static_cast<int>(version), id_length});
    return glance_at_quic(bytes, 1200);
  };
  for (const std::uint32_t version : {1u, 0x6b3343cfu, 0xff00001du, 0x1a2a3a4au, 0xfaceb001u,
                                      0x51303530u, 0x54303531u, 0x50435130u, 0x45474716u})
    EXPECT_TRUE(glance(0xc0, version, 8)) << std::hex << version;
  for (const std::uint32_t version : {0u, 2u, 0x12345678u, 0xff010000u})
    EXPECT_FALSE(glance(0xc0, version, 8)) << std::hex << version;
  EXPECT_TRUE(glance(0xc0, 1, 20));
  EXPECT_FALSE(glance(0xc0, 1, 21)) << "no connection identifier is that long";
  EXPECT_TRUE(glance(0xc0, 0xff000015, 0x55)) << "draft 21 packs two lengths";
  EXPECT_FALSE(glance(0xc0, 0xff000016, 0x55)) << "draft 22 does not";
  EXPECT_TRUE(glance(0xc0, 1, 8)->initial);
  EXPECT_FALSE(glance(0xe0, 1, 8)->initial);
  EXPECT_TRUE(glance(0xd0, quic_version2, 8)->initial) << "RFC 9369";
  EXPECT_FALSE(glance(0xc0, quic_version2, 8)->initial);
}

TEST(Quic, ShortHeadersHaveALeastSizeAndASpinBit) {
  const Bytes spinning = bytes_of({0x60}), still = bytes_of({0x40});
  EXPECT_TRUE(glance_at_quic(spinning, 21)->spin);
  EXPECT_FALSE(glance_at_quic(still, 21)->spin);
  EXPECT_FALSE(glance_at_quic(still, 21)->long_header);
  EXPECT_FALSE(glance_at_quic(still, 20));
  EXPECT_FALSE(glance_at_quic({}, 100));
  EXPECT_FALSE(glance_at_quic(bytes_of({0xc0, 0, 0, 0, 1}), 100)) << "cut";
}

TEST(TlsRecord, SaysWhetherItIsOneWholeMessage) {
  const auto record = [](int length, int message) {
    return parse_tls_record(bytes_of({22, 3, 1, 0, length, 1, 0, 0, message}));
  };
  EXPECT_TRUE(record(44, 40)->is(TlsHandshake::client_hello));
  EXPECT_TRUE(record(44, 40)->is_one_message);
  EXPECT_FALSE(record(44, 48)->is_one_message);
  EXPECT_FALSE(record(48, 40)->is_one_message);
  EXPECT_FALSE(record(0, 0)) << "no record is empty";
}

TEST(Dns, MessagesNeedAHeaderAndAnOpcode) {
  const auto message = [](int flags_high, int flags_low) {
    return parse_dns_message(bytes_of(
        {0x12, 0x34, flags_high, flags_low, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 0, 0, 1, 0, 1}));
  };
  ASSERT_TRUE(message(0x01, 0));
  EXPECT_FALSE(message(0x01, 0)->response);
  EXPECT_TRUE(message(0x81, 0x80)->response);
  EXPECT_EQ(message(0x01, 0)->token & 0xffff, 0x1234u);
  EXPECT_EQ(message(0x01, 0)->token, message(0x81, 0x80)->token);
  EXPECT_EQ(message(0x01, 0)->size, 19u);
  for (const int opcode : {0, 1, 2, 4, 5, 6}) EXPECT_TRUE(message(opcode << 3, 0)) << opcode;
  for (const int opcode : {3, 7, 15}) EXPECT_FALSE(message(opcode << 3, 0)) << opcode;
  EXPECT_NE(message(0x28, 0)->token, message(0x01, 0)->token) << "an update is another question";
  EXPECT_FALSE(parse_dns_message(bytes_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
}

TEST(Dns, TheQuestionIsNameTypeAndClassWithoutCase) {
  const auto token = [](std::initializer_list<int> question, int questions = 1) {
    Bytes bytes = bytes_of({0, 1, 1, 0, 0, questions, 0, 0, 0, 0, 0, 0});
    for (const int value : question) bytes.push_back(static_cast<std::byte>(value));
    return parse_dns_message(bytes)->token >> 16;
  };
  const auto usual = token({2, 'a', 'b', 0, 0, 1, 0, 1});
  EXPECT_NE(usual, 0u);
  EXPECT_EQ(token({2, 'A', 'b', 0, 0, 1, 0, 1}), usual);
  EXPECT_NE(token({2, 'a', 'c', 0, 0, 1, 0, 1}), usual);
  EXPECT_NE(token({2, 'a', 'b', 0, 0, 28, 0, 1}), usual);
  EXPECT_NE(token({2, 'a', 'b', 0, 0, 1, 0, 3}), usual);
  EXPECT_EQ(token({2, 'a', 'b', 0, 0, 1, 0, 1}, 0), 0u) << "no question";
  EXPECT_EQ(token({2, 'a', 'b', 0, 0, 1, 0}), 0u) << "cut";
  EXPECT_EQ(token({2, 'a', 'b'}), 0u) << "a name without end";
  EXPECT_EQ(token({0xc0, 12, 0, 1, 0, 1}), 0u) << "compressed";
}

}  // namespace
}  // namespace sojourn
