// Between Ethernet and IP: LLC and SNAP, tags, MPLS, PPP, byte by byte.

#include "wire/test_layers.h"
#include "wire/test_parse.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

using namespace test;

const Bytes inner = ipv4({}, IpProtocol::tcp, tcp({}));

Bytes in_802_3(const Bytes& llc, std::size_t padding = 0) {
  return ethernet(static_cast<std::uint16_t>(llc.size()), llc + zeros(padding));
}
bool is_read(const Bytes& bytes, LinkType link = LinkType::ethernet) {
  const Outcome outcome = parse(bytes, link);
  return outcome.summary && outcome.summary->content == Content::tcp;
}

TEST(Snap, CarriesEtherTypesOfTwoOrganisations) {
  EXPECT_TRUE(is_read(in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8, 0}) + inner)));
  EXPECT_TRUE(is_read(in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0xf8, 8, 0}) + inner))) << "802.1H";
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0x0c, 8, 0}) + inner)).skip, Skip::not_ip)
      << "Cisco's own numbers";
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xaa, 3, 1, 0, 0, 8, 0}) + inner)).skip, Skip::not_ip);
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8, 6}) + zeros(28))).skip,
            Skip::not_ip)
      << "ARP";
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xab, 3, 0, 0, 0, 8, 0}) + inner)).skip, Skip::not_ip);
  EXPECT_EQ(parse(in_802_3(bytes_of({0xab, 0xaa, 3, 0, 0, 0, 8, 0}) + inner)).skip, Skip::not_ip);
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8}))).skip, Skip::truncated_link);
  EXPECT_EQ(parse(in_802_3(bytes_of({0xaa, 0xaa}))).skip, Skip::truncated_link);
}

TEST(Llc, MayCarryIpItself) {
  EXPECT_TRUE(is_read(in_802_3(bytes_of({6, 6, 3}) + inner)));
  EXPECT_EQ(parse(in_802_3(bytes_of({6, 7, 3}) + inner)).skip, Skip::not_ip);
}

TEST(Llc, TheLengthFieldEndsTheFrameUnlessItIsZeroOrTooLarge) {
  Bytes offloaded = ipv4({}, IpProtocol::tcp, tcp({}, {.payload = 20}));
  offloaded[2] = offloaded[3] = std::byte{0};
  const Bytes llc = bytes_of({6, 6, 3}) + offloaded;
  EXPECT_EQ(summary_of(in_802_3(llc, 9)).payload, 20u);
  EXPECT_EQ(summary_of(ethernet(std::uint16_t{0}, llc + zeros(9))).payload, 29u);
  EXPECT_EQ(summary_of(ethernet(std::uint16_t{1500}, llc + zeros(9))).payload, 29u);
  EXPECT_EQ(parse(ethernet(std::uint16_t{0x05ff}, llc)).skip, std::nullopt) << "still a length";
  EXPECT_EQ(parse(ethernet(std::uint16_t{0x0600}, llc)).skip, Skip::unknown_ethertype);
}

TEST(Mpls, TellsIpFromPseudowires) {
  const Bytes frame = ethernet(EtherType::ipv4, inner);
  const auto labelled = [](const Bytes& payload) {
    return ethernet(EtherType::mpls, labels(payload));
  };
  EXPECT_TRUE(is_read(labelled(inner)));
  EXPECT_TRUE(is_read(labelled(ipv6({}, IpProtocol::tcp, tcp({})))));
  EXPECT_TRUE(is_read(labelled(frame)));
  EXPECT_TRUE(is_read(labelled(zeros(4) + frame)));
  EXPECT_TRUE(
      is_read(labelled(zeros(4) + in_802_3(bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8, 0}) + inner))))
      << "SNAP in a pseudowire";
  EXPECT_EQ(parse(labelled(zeros(4) + ethernet(std::uint16_t{0x1234}, inner))).skip, Skip::not_ip);
  EXPECT_EQ(parse(labelled(zeros(4) + in_802_3(bytes_of({0x42, 0x42, 3}) + inner))).skip,
            Skip::not_ip);
  Bytes short_header = inner;
  short_header[0] = std::byte{0x44};
  EXPECT_EQ(parse(labelled(short_header)).skip, Skip::not_ip) << "IPv4 has five words or more";
  EXPECT_EQ(parse(labelled({})).skip, Skip::truncated_link);
  EXPECT_EQ(parse(ethernet(EtherType::mpls, zeros(3))).skip, Skip::truncated_link);
  Bytes stack;
  for (int i = 0; i < 15; ++i) stack = stack + mpls_label(16, false);
  const Bytes last = mpls_label(16, true);
  EXPECT_TRUE(is_read(ethernet(EtherType::mpls, stack + last + inner)));
  const Bytes one_more = stack + mpls_label(16, false) + last + inner;
  EXPECT_EQ(parse(ethernet(EtherType::mpls, one_more)).skip, Skip::too_deep);
}

TEST(Ppp, ProtocolsHaveOneByteOrTwo) {
  EXPECT_TRUE(is_read(bytes_of({0x21}) + inner, LinkType::ppp));
  EXPECT_TRUE(is_read(bytes_of({0, 0x21}) + inner, LinkType::ppp));
  EXPECT_TRUE(is_read(bytes_of({0xff, 3, 0, 0x21}) + inner, LinkType::ppp));
  EXPECT_TRUE(is_read(bytes_of({0x02, 0x81}) + labels(inner), LinkType::ppp)) << "MPLS";
  EXPECT_EQ(parse(bytes_of({0xc0, 0x21}) + zeros(20), LinkType::ppp).skip, Skip::not_ip) << "LCP";
  EXPECT_EQ(parse(bytes_of({0x7f, 0xff}) + zeros(20), LinkType::ppp).skip, Skip::unknown_ethertype);
  EXPECT_EQ(parse(bytes_of({0x00, 0x3d}) + zeros(20), LinkType::ppp).skip, Skip::unknown_ethertype)
      << "multilink";
  for (const int compressed : {0x2d, 0x2f, 0xfb, 0xfd})
    EXPECT_EQ(parse(bytes_of({0, compressed}) + zeros(20), LinkType::ppp).skip, Skip::compressed);
  EXPECT_EQ(parse(bytes_of({0}), LinkType::ppp).skip, Skip::truncated_link);
  EXPECT_EQ(parse(Bytes{}, LinkType::ppp).skip, Skip::truncated_link);
}

TEST(Pppoe, SessionsHaveALengthAndOtherCodesNoIp) {
  Bytes offloaded = ipv4({}, IpProtocol::tcp, tcp({}, {.payload = 20}));
  offloaded[2] = offloaded[3] = std::byte{0};
  Bytes session = pppoe({Form::ipv4, offloaded});
  const auto framed = [](const Bytes& bytes) {
    return ethernet(EtherType::pppoe_session, bytes + zeros(9));
  };
  EXPECT_EQ(summary_of(framed(session)).payload, 20u) << "without the padding";
  session[1] = std::byte{0xa7};
  EXPECT_EQ(parse(framed(session)).skip, Skip::not_ip) << "terminate";
  session[1] = std::byte{0};
  session[4] = session[5] = std::byte{0};
  EXPECT_EQ(summary_of(framed(session)).payload, 29u) << "a length of zero says nothing";
  EXPECT_EQ(parse(ethernet(EtherType::pppoe_session, zeros(5))).skip, Skip::truncated_link);
}

TEST(Tags, AreSteppedOverToTheNextType) {
  EXPECT_TRUE(is_read(ethernet(EtherType::vn_tag, zeros(4) + bytes_of({8, 0}) + inner)));
  EXPECT_TRUE(is_read(ethernet(EtherType::bridge_extension, zeros(6) + bytes_of({8, 0}) + inner)));
  EXPECT_TRUE(
      is_read(ethernet(EtherType::provider_backbone, zeros(4) + ethernet(EtherType::ipv4, inner))));
  for (const EtherType vlan :
       {EtherType::vlan, EtherType::provider_vlan, EtherType::old_vlan, EtherType::old_vlan2})
    EXPECT_EQ(summary_of(ethernet(vlan, bytes_of({0xf0, 5, 8, 0}) + inner)).vlan, 5);
  EXPECT_EQ(parse(ethernet(EtherType::vlan, zeros(3))).skip, Skip::truncated_link);
  EXPECT_EQ(parse(ethernet(EtherType::vn_tag, zeros(5))).skip, Skip::truncated_link);
  EXPECT_EQ(parse(ethernet(EtherType::provider_backbone, zeros(3))).skip, Skip::truncated_link);
}

TEST(CiscoHdlc, KeepAlivesAreNotIp) {
  for (const auto& type : {bytes_of({0x80, 0x35}), bytes_of({0x20, 0}), bytes_of({0xfe, 0xfe})})
    EXPECT_EQ(parse(bytes_of({0x8f, 0}) + type + zeros(20), LinkType::cisco_hdlc).skip,
              Skip::not_ip);
  EXPECT_TRUE(is_read(bytes_of({0x0f, 0, 8, 0}) + inner, LinkType::cisco_hdlc));
  EXPECT_TRUE(is_read(bytes_of({0x8f, 0, 8, 0}) + inner, LinkType::ppp_hdlc)) << "multicast";
  EXPECT_EQ(parse(zeros(3), LinkType::cisco_hdlc).skip, Skip::truncated_link);
}

// Words of 32 bits tell what fields there are; the highest bit tells that another word follows.
TEST(Radiotap, MaySayInSeveralWordsWhatItHolds) {
  const Bytes words = bytes_of({0, 0, 25, 0, 3, 0, 0, 0x80}) + bytes_of({0, 0, 0, 0});
  // Behind them time and flags; the flags say that the frame's header is padded.
  const Bytes header = words + zeros(4 + 8) + bytes_of({0x20});
  const Bytes frame = header + bytes_of({0x88, 0x01}) + zeros(22 + 2 + 2) +
                      bytes_of({0xaa, 0xaa, 3, 0, 0, 0, 8, 0}) + inner;
  EXPECT_TRUE(is_read(frame, LinkType::ieee80211_radiotap));
  Packet cut = packet_of(frame, LinkType::ieee80211_radiotap);
  for (cut.captured = 0; cut.captured < header.size(); ++cut.captured)
    EXPECT_EQ(parse(cut).skip, Skip::truncated_link) << cut.captured;
}

TEST(Authentication, HeadersAreSteppedOver) {
  const Bytes protected_tcp = bytes_of({6, 4}) + zeros(22) + tcp({});
  const Summary summary =
      summary_of(ipv4({}, IpProtocol::authentication, protected_tcp), LinkType::raw);
  EXPECT_EQ(summary.content, Content::tcp);
  EXPECT_EQ(summary.payload_offset, 20 + 24 + 20);
  EXPECT_EQ(parse(ipv4({}, IpProtocol::authentication, bytes_of({6, 4})), LinkType::raw).skip,
            Skip::truncated_ip);
}

}  // namespace
}  // namespace sojourn
