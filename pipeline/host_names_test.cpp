#include "core/host_names.h"

#include <gtest/gtest.h>

#include "estimate/grouping.h"

namespace sojourn {
namespace {

IpAddress host(const char* text) { return IpAddress::parse(text).value(); }

TEST(HostNames, PreferWhatServersAreCalled) {
  HostNames names;
  names.learn(host("192.0.2.1"), "cdn.example", HostNames::From::dns);
  EXPECT_EQ(names.name_of(host("192.0.2.1")), "cdn.example");
  names.learn(host("192.0.2.1"), "www.example", HostNames::From::server);
  names.learn(host("192.0.2.1"), "other.example", HostNames::From::dns);
  EXPECT_EQ(names.name_of(host("192.0.2.1")), "www.example");
  EXPECT_EQ(names.name_of(host("192.0.2.2")), "");
}

TEST(HostNames, DoNotDependOnTheOrder) {
  HostNames one, another;
  one.learn(host("192.0.2.1"), "a.example", HostNames::From::dns);
  one.learn(host("192.0.2.1"), "b.example", HostNames::From::dns);
  another.learn(host("192.0.2.1"), "b.example", HostNames::From::dns);
  another.learn(host("192.0.2.1"), "a.example", HostNames::From::dns);
  EXPECT_EQ(one.name_of(host("192.0.2.1")), "a.example and others");
  EXPECT_EQ(another.name_of(host("192.0.2.1")), "a.example and others");
  HostNames merged;
  merged.merge(another);
  EXPECT_EQ(merged.name_of(host("192.0.2.1")), "a.example and others");
}

TEST(HostNames, AreBoundedAndFitToBeShown) {
  HostNames names{2};
  names.learn(host("192.0.2.1"), "a\x1b[31m", HostNames::From::dns);
  names.learn(host("192.0.2.2"), std::string(1000, 'x'), HostNames::From::dns);
  names.learn(host("192.0.2.3"), "c", HostNames::From::dns);
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.without_room(), 1u);
  EXPECT_EQ(names.name_of(host("192.0.2.1")), "a\\x1b[31m");
  EXPECT_LE(names.name_of(host("192.0.2.2")).size(), 70u);
}

TEST(HostNames, StandBehindAddressesInGroups) {
  auto names = std::make_shared<HostNames>();
  names->learn(host("192.0.2.2"), "www.example", HostNames::From::server);
  Sample sample;
  sample.requester = host("192.0.2.1");
  sample.responder = host("192.0.2.2");
  sample.requester_port = 40'000;
  sample.responder_port = 443;
  const auto label = [&](const char* by) {
    Grouping grouping = Grouping::parse(by).value();
    grouping.name_hosts(names);
    return grouping.label(grouping.key_of(sample));
  };
  EXPECT_EQ(label("host"), "192.0.2.2 (www.example)");
  EXPECT_EQ(label("flow"), "192.0.2.1:40000 > 192.0.2.2:443 (www.example)");
  EXPECT_EQ(label("requester"), "192.0.2.1");
  EXPECT_EQ(label("prefix/24"), "192.0.2.0/24");
}

}  // namespace
}  // namespace sojourn
