#include "core/result_table.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/units.h"

namespace sojourn {
namespace {

TEST(Cell, KeepsTheNumberBesideWhatIsShown) {
  EXPECT_EQ(std::get<std::uint64_t>(Cell{std::uint64_t{12}}.value), 12u);
  EXPECT_EQ(Cell{std::uint64_t{12}}.text, "12");
  EXPECT_EQ(std::get<std::int64_t>(Cell{-3}.value), -3);
  const Cell third = Cell::decimals(1.0 / 3, 2);
  EXPECT_EQ(std::get<double>(third.value), 1.0 / 3);
  EXPECT_EQ(third.text, "0.33");
  const Cell size = Cell::number(std::uint64_t{65'536}, "64 KiB");
  EXPECT_EQ(std::get<std::uint64_t>(size.value), 65'536u);
  EXPECT_EQ(size.text, "64 KiB");
  EXPECT_EQ(Cell::beside_paper(0.123, 0.1, 2).text, "0.12 (0.10)");
  EXPECT_EQ(std::get<BesidePaper>(Cell::beside_paper(0.123, 0.1, 2).value).ours, 0.123);
}

TEST(Cell, TimeIsANumberForProgramsAndADateForPeople) {
  const Cell start = timestamp_from_ns(1'794'052'800'250'000'000);
  EXPECT_EQ(to_ns(std::get<Timestamp>(start.value)), 1'794'052'800'250'000'000);
  EXPECT_EQ(start.text, format_time(timestamp_from_ns(1'794'052'800'250'000'000)));
  const ResultTable table{.name = "t",
                          .title = "",
                          .columns = {"flow", "start_ns", "delay_ns"},
                          .rows = {{"a", Cell{}, 5}, {"b", start, 7}}};
  EXPECT_EQ(heads_of(table), (std::vector<std::string>{"flow", "start", "delay_ns"}));
}

TEST(Cell, WordsStayWordsEvenIfTheyLookLikeNumbers) {
  EXPECT_EQ(std::get<std::string>(Cell{"12"}.value), "12");
  EXPECT_EQ(Cell{std::string_view{"exact"}}.text, "exact");
}

TEST(Cell, WhatIsNotKnownIsNoNumber) {
  EXPECT_FALSE(Cell{}.known());
  EXPECT_EQ(Cell{}.text, "-");
  EXPECT_FALSE(Cell{std::optional<std::uint64_t>{}}.known());
  EXPECT_EQ(std::get<std::uint64_t>(Cell{std::optional<std::uint64_t>{7}}.value), 7u);
  EXPECT_FALSE(Cell::nothing().known());
  EXPECT_EQ(Cell::nothing().text, "");
  EXPECT_FALSE(Cell::decimals(std::numeric_limits<double>::quiet_NaN(), 1).known());
  EXPECT_FALSE(Cell::number(std::numeric_limits<double>::infinity(), "-").known());
}

}  // namespace
}  // namespace sojourn
