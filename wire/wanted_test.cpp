#include "wire/wanted.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

Wanted alone(Kind kind) {
  KindSet kinds = KindSet::none();
  kinds.add(kind);
  return Wanted{kinds};
}

TEST(Wanted, EachKindAloneAsksForItsOwnPackets) {
  for (const Kind kind :
       {Kind::tcp, Kind::handshake, Kind::tcp_ts, Kind::flow, Kind::response, Kind::tls})
    EXPECT_TRUE(alone(kind).tcp) << static_cast<int>(kind);
  for (const Kind kind : {Kind::dns, Kind::ntp, Kind::icmp, Kind::quic}) {
    EXPECT_FALSE(alone(kind).tcp) << static_cast<int>(kind);
    EXPECT_EQ(alone(kind).dns, kind == Kind::dns);
    EXPECT_EQ(alone(kind).ntp, kind == Kind::ntp);
    EXPECT_EQ(alone(kind).icmp, kind == Kind::icmp);
    EXPECT_EQ(alone(kind).quic, kind == Kind::quic);
  }
}

}  // namespace
}  // namespace sojourn
