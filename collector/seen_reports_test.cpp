#include "collector/seen_reports.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace sojourn {
namespace {

TEST(SeenReports, AgreesWithASetAndSurvivesItsText) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 50; ++round) {
    SeenReports seen;
    std::set<std::uint64_t> truth;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t number = 1 + random() % 600;
      EXPECT_EQ(seen.take(number), truth.insert(number).second);
      if (i % 50 == 0) seen = SeenReports::parse(seen.to_string());
    }
  }
}

TEST(SeenReports, ForgetsOldGapsInsteadOfGrowing) {
  SeenReports seen;
  for (std::uint64_t number = 1; number < 100'000; number += 2) EXPECT_TRUE(seen.take(number));
  EXPECT_FALSE(seen.take(2));
  EXPECT_TRUE(seen.take(99'998));
  EXPECT_LT(seen.to_string().size(), 20'000u);
}

TEST(SeenReports, WhatCannotBeReadIsLeftOut) {
  for (const char* text : {"", "x", "5-2", "1-3,2", "1-", "99999999999999999999999"})
    (void)SeenReports::parse(text).to_string();
  EXPECT_EQ(SeenReports::parse("1-3,7").to_string(), "1-3,7");
}

}  // namespace
}  // namespace sojourn
