#include "export/flow_name.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(FlowName, HasPortsWhereThereAreAny) {
  const IpAddress four = *IpAddress::parse("192.0.2.1"), six = *IpAddress::parse("2001:db8::1");
  EXPECT_EQ(flow_name({four, four, 5'000, 53, 17}), "udp 192.0.2.1:5000 > 192.0.2.1:53");
  EXPECT_EQ(flow_name({six, six, 0, 443, 6}), "tcp 2001:db8::1 > [2001:db8::1]:443");
}

}  // namespace
}  // namespace sojourn
