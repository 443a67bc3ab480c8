#include "places/maxmind.h"

#include <gtest/gtest.h>

#include <array>

#include "estimate/grouping.h"

namespace sojourn {
namespace {

const std::string file = std::string{SOJOURN_CAPTURES} + "/places.mmdb";

/// The name by `by` of the group of a response from there.
std::string group_of(const char* address, std::string_view by,
                     const std::shared_ptr<Places>& places) {
  auto grouping = Grouping::parse(by);
  if (!grouping) return grouping.error().message;
  grouping->set_places(places);
  Sample sample;
  sample.responder = *IpAddress::parse(address);
  sample.responder_port = 443;
  return grouping->label(grouping->key_of(sample));
}

TEST(MaxMind, KnowsSystemsAndCountriesOfBothVersions) {
  const auto places = open_maxmind(std::array{file});
  if (!places) GTEST_SKIP() << places.error().message;
  EXPECT_EQ(group_of("192.0.2.77", "asn", *places), "AS64496 Example Access");
  EXPECT_EQ(group_of("198.51.100.1", "country", *places), "FR");
  EXPECT_EQ(group_of("2001:db8::1", "asn", *places), "AS64499 Example Six");
  EXPECT_EQ(group_of("2001:db8::1", "country,asn", *places), "JP AS64499 Example Six");
  EXPECT_EQ(group_of("203.0.113.127", "asn,port", *places), "AS64498 Example Hosting port 443");
  EXPECT_EQ(group_of("203.0.113.128", "asn", *places), "no AS");
  EXPECT_EQ(group_of("10.0.0.1", "country", *places), "no country");
  EXPECT_EQ(group_of("192.0.2.1", "asn,host", *places),
            "cannot group by 'asn' and 'host' at once: both say whose delay it is");
}

TEST(MaxMind, SaysWhatItCannotRead) {
  const auto places = open_maxmind(std::array{std::string{SOJOURN_CAPTURES} + "/web.pcap"});
  ASSERT_FALSE(places);
  if (places.error().message.find("built without") != std::string::npos)
    GTEST_SKIP() << places.error().message;
  EXPECT_TRUE(places.error().message.starts_with("cannot read ")) << places.error().message;
}

}  // namespace
}  // namespace sojourn
