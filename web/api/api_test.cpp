#include "web/api/api.h"

#include <gtest/gtest.h>

#include "estimate/distribution/shift.h"
#include "naming/stored_group.h"
#include "store/test_store.h"

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

constexpr auto start = TestStore::start;
constexpr std::int64_t start_s = to_ns(start) / 1'000'000'000;
constexpr auto oneway = number_of(Measure::oneway);

std::int32_t bin_of(Duration delay) { return LogBuckets::index_of(to_ns(delay)); }

class ApiTest : public testing::Test {
 protected:
  ApiTest() {
    context_.now = start + 1h;
    context_.version = "1.2.3";
    // An hour of today and of yesterday; one of three prefixes has become slower by half.
    for (int day = 0; day < 2; ++day)
      for (int i = 0; i < 3600; ++i) {
        const Timestamp at = start - day * 24h + i * 1s;
        store_.add("a:b", oneway, at, bin_of(5ms), 1, i % 500);
        store_.add("a:b", oneway, at, bin_of(day == 0 ? 30ms : 20ms), 1, i % 400, "203.0.113.0");
        store_.add("a:b", oneway, at, bin_of(7ms), 1, i % 300, "192.0.2.0");
      }
  }
  Reply ask(std::string_view name, const std::string& query = "") {
    return answer_api(store_, name, *QueryString::parse(query), context_);
  }
  Json document(std::string_view name, const std::string& query = "") {
    const Reply reply = ask(name, query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return Json::parse(reply.body);
  }
  static std::string hour() {
    return "&from_s=" + std::to_string(start_s) + "&to_s=" + std::to_string(start_s + 3600);
  }

  TestStore store_;
  ApiContext context_;
};

TEST_F(ApiTest, StatusNamesWhatThereIs) {
  const Json json = document("status");
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["now_s"], start_s + 3600);
  EXPECT_EQ(json["subjects"][0]["name"], "a:b");
  EXPECT_EQ(json["subjects"][0]["kinds"][0], "oneway");
  EXPECT_TRUE(json["subjects"][0]["segment"]);
}

TEST_F(ApiTest, AStoreThatWasNeverWrittenHasNoTimes) {
  EXPECT_EQ(document("status")["written_s"], start_s);
  store_.never_written = true;
  for (const char* name : {"written_s", "judged_until_s"}) {
    EXPECT_TRUE(document("status")[name].is_null()) << name;
    EXPECT_TRUE(document("heatmap", "subject=a:b&kind=oneway" + hour())[name].is_null()) << name;
  }
  EXPECT_TRUE(document("health")["written_s"].is_null());
}

TEST_F(ApiTest, StatusNamesAllLegsAndWhichToShowFirst) {
  const Json json = document("status");
  EXPECT_EQ(json["legs"], Json::array({"server", "client", "external", "internal", "sum", "network",
                                       "thinking"}));
  ASSERT_EQ(json["headlines"].size(), kind_count);
  for (const auto& [kind, leg] : json["headlines"].items()) {
    ASSERT_TRUE(kind_named(kind)) << kind;
    EXPECT_EQ(leg, headline_is_sum(*kind_named(kind)) ? "sum" : "server") << kind;
  }
}

TEST_F(ApiTest, HeatmapHasEverySampleOnce) {
  const Json json = document("heatmap", "subject=a:b&kind=oneway&columns=100" + hour());
  double sum = 0;
  for (const auto& weight : json["cells"]["weight"]) sum += weight.get<double>();
  EXPECT_EQ(sum, 3 * 3600);
  EXPECT_EQ(json["cells"]["row"].size(), json["cells"]["column"].size());
  EXPECT_EQ(json["series"]["median_ns"].size(), json["columns"]);
  EXPECT_EQ(json["rows"]["low_ns"].size(), json["rows"]["high_ns"].size());
}

TEST_F(ApiTest, TheChangedGroupComesFirst) {
  const Json json = document("groups", "subject=a:b&kind=oneway" + hour());
  ASSERT_EQ(json["groups"].size(), 3u);
  EXPECT_EQ(json["groups"][0]["prefix"], "203.0.113.0/24");
  EXPECT_EQ(json["groups"][0]["verdict"], "slower");
  EXPECT_NEAR(json["groups"][0]["before"]["quantiles"][1]["delay_ns"].get<double>(), 20e6, 2e5);
  EXPECT_EQ(json["groups"][1]["verdict"], "same");
  EXPECT_EQ(document("groups", "subject=a:b&kind=oneway&limit=2" + hour())["groups"].size(), 2u);
  EXPECT_EQ(
      document("groups", "subject=a:b&kind=oneway&order=worst" + hour())["groups"][0]["prefix"],
      "203.0.113.0/24");
}

TEST_F(ApiTest, GroupsAreHostsWhereTheStoreKeepsThem) {
  store_.prefix_length = 32;
  for (int i = 0; i < 3600; ++i)
    for (const char* host : {"10.0.0.1", "10.0.0.2"})
      store_.add("c", number_of(Kind::tcp), start + i * 1s, bin_of(9ms), 1, i % 200, host);
  const auto prefixes = [&](const std::string& length) {
    std::vector<std::string> names;
    const Json answer = document("groups", "subject=c&kind=tcp" + length + hour());
    for (const Json& group : answer["groups"]) names.push_back(group["prefix"]);
    return names;
  };
  EXPECT_EQ(prefixes("&length=32"), (std::vector<std::string>{"10.0.0.1/32", "10.0.0.2/32"}));
  EXPECT_EQ(prefixes(""), (std::vector<std::string>{"10.0.0.0/24"}));
}

TEST_F(ApiTest, GroupsArePortsAndFlowsWhereTheStoreKeepsFlows) {
  const std::string slow = "10.0.0.1:5000 > 10.0.0.3:53", fast = "10.0.0.2:5001 > 10.0.0.3:443";
  store_.prefix_length = 128;
  for (int i = 0; i < 600; ++i)
    for (const std::string& flow : {slow, fast})
      store_.add("c", number_of(Kind::tcp), start + i * 1s, bin_of(flow == slow ? 9ms : 3ms), 1, i,
                 parse_group(flow)->network().to_string().c_str());
  const auto names = [&](const std::string& more) {
    std::vector<std::string> all;
    const Json answer = document("groups", "subject=c&kind=tcp&order=worst" + more + hour());
    for (const Json& group : answer["groups"]) all.push_back(group["prefix"]);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("&by=port"), (Names{"port 53", "port 443"}));
  EXPECT_EQ(names("&by=flow"), (Names{slow, fast}));
  EXPECT_EQ(names("&by=host"), (Names{"10.0.0.3/32"}));
  EXPECT_EQ(names("&by=prefix&length=8"), (Names{"10.0.0.0/8"}));
  EXPECT_EQ(names("&by=flow&prefix=port+443"), (Names{fast}));
  EXPECT_EQ(ask("groups", "subject=c&kind=tcp&by=colour").status, 400);
  const Json picture = document("heatmap", "subject=c&kind=tcp&prefix=port+53" + hour());
  EXPECT_EQ(picture["prefix"], "port 53");
  double sum = 0;
  for (const Json& weight : picture["cells"]["weight"]) sum += weight.get<double>();
  EXPECT_EQ(sum, 600);
}

TEST_F(ApiTest, GroupsWithoutAPastAreNew) {
  const Json json = document("groups", "subject=a:b&kind=oneway&before_s=864000" + hour());
  EXPECT_EQ(json["groups"][0]["verdict"], "new");
  EXPECT_TRUE(json["groups"][0]["before"].is_null());
}

TEST_F(ApiTest, TwoTimesAreCompared) {
  const auto question = [](const std::string& prefix) {
    return "subject_a=a:b&kind_a=oneway&subject_b=a:b&kind_b=oneway&prefix_a=" + prefix +
           "&prefix_b=" + prefix + "&from_s_a=" + std::to_string(start_s - 86'400) +
           "&to_s_a=" + std::to_string(start_s - 82'800) + "&from_s_b=" + std::to_string(start_s) +
           "&to_s_b=" + std::to_string(start_s + 3600);
  };
  EXPECT_EQ(document("compare", question("203.0.113.0/24"))["verdict"], "slower");
  EXPECT_EQ(document("compare", question("192.0.2.0/24"))["verdict"], "same");
  EXPECT_EQ(document("compare", question("10.0.0.0/24"))["verdict"],
            name_of(ShiftVerdict::too_few));
}

TEST_F(ApiTest, PathAndHealthTellOfPointsAndFaults) {
  PointLedger ledger;
  ledger.point = "a";
  ledger.last_heard = start;
  ledger.accounts[Account::packets_seen] =
      5;  // and none of them selected or not: it does not add up
  store_.ledgers_ = {ledger};
  const Json path = document("path", hour().substr(1));
  EXPECT_EQ(path["segments"][0]["from"], "a");
  EXPECT_EQ(path["segments"][0]["to"], "b");
  EXPECT_EQ(path["points"][0]["name"], "a");
  EXPECT_FALSE(document("health")["ledgers"][0]["fault"].is_null());
}

TEST_F(ApiTest, WhatMakesNoSenseIsRefusedWithAReason) {
  for (const char* query :
       {"", "subject=a:b", "subject=a:b&kind=what", "subject=a:b&kind=oneway&from_s=9&to_s=5",
        "subject=a:b&kind=oneway&from_s=x", "subject=a:b&kind=oneway&columns=100000",
        "subject=a:b&kind=oneway&prefix=10.0.0.0/99", "subject=a:b&kind=oneway&colour=red",
        "subject=a:b&kind=tcp&leg=left", "subject=a:b&kind=oneway&from_s=-9999999999999999999",
        "subject=a:b&kind=oneway&from_s=0&to_s=1700000000"}) {
    const Reply reply = ask("heatmap", query);
    EXPECT_EQ(reply.status, 400) << query;
    EXPECT_FALSE(Json::parse(reply.body)["error"].get<std::string>().empty());
  }
  EXPECT_EQ(ask("nothing").status, 404);
  EXPECT_EQ(ask("groups", "subject=nobody&kind=oneway").status, 400);
  store_.fault = "the disk is gone";
  EXPECT_EQ(ask("status").status, 503);
}

// Names come from the network: invalid UTF-8 must not prevent the answer.
TEST_F(ApiTest, NamesThatAreNoTextAreShownAsFarAsTheyAre) {
  store_.add("\xff<b>", oneway, start, bin_of(1ms), 1, 1);
  EXPECT_EQ(document("status")["subjects"][1]["name"], "\xef\xbf\xbd<b>");
}

TEST_F(ApiTest, LiveGivesTheNewestTwoColumns) {
  context_.now = start + 1h;
  const auto text =
      live_columns(store_, *QueryString::parse("subject=a:b&kind=oneway&step_s=60"), start + 30min);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find('\n'), std::string::npos);
  const Json json = Json::parse(*text);
  EXPECT_EQ(json["columns"], 2);
  EXPECT_EQ(json["step_s"], 60);
  EXPECT_FALSE(
      live_columns(store_, *QueryString::parse("subject=a:b&kind=oneway&step_s=7"), start));
}

}  // namespace
}  // namespace sojourn::web
