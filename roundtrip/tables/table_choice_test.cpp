#include "roundtrip/tables/table_choice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <type_traits>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(TableChoice, MemoryAloneIsEnough) {
  EXPECT_EQ(choose_table({})->kind, TableKind::exact);
  EXPECT_EQ(choose_table({.memory_bytes = 64 << 10})->kind, TableKind::tailored);
  EXPECT_EQ(choose_table({.memory_bytes = 256 << 10})->kind, TableKind::tailored);
  EXPECT_EQ(choose_table({.memory_bytes = 1 << 30})->kind, TableKind::tailored);
  const auto choice = choose_table({.kind = TableKind::fridges, .memory_bytes = 256 << 10});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->fridges, 4u);
  EXPECT_FALSE(choice->entry_probability);  // self-tuning
  EXPECT_EQ(choose_table({.kind = TableKind::fridges, .memory_bytes = 2 << 10, .only_table = true})
                ->fridges,
            2u);
  EXPECT_EQ(choose_table({.memory_bytes = 4 << 10, .entry_probability = 0.5})->kind,
            TableKind::fridges);
}

TEST(TableChoice, EveryTableHasAName) {
  EXPECT_EQ(table_names().front(), "exact");
  EXPECT_EQ(table_names().back(), "tailored");
  for (std::size_t i = 0; i < table_names().size(); ++i) {
    EXPECT_EQ(table_named(table_names()[i]), static_cast<TableKind>(i));
    EXPECT_EQ(name_of(static_cast<TableKind>(i)), table_names()[i]);
  }
  EXPECT_FALSE(table_named("?"));
}

TEST(TableChoice, ConnectionsAreAPartOfTheMemory) {
  for (const std::size_t bytes : {4096u, 65'536u, 100'001u}) {
    const auto choice = choose_table({.memory_bytes = bytes});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->memory_bytes + choice->connection_bytes, bytes);
    EXPECT_EQ(choice->connection_bytes, bytes / 4);
  }
  for (const std::size_t bytes : {3u << 19, 4u << 20, 64u << 20}) {
    const auto choice = choose_table({.memory_bytes = bytes});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->connection_bytes, bytes / 2);
    EXPECT_EQ(choice->memory_bytes, bytes / 2);
  }
  // More memory never makes the table smaller.
  std::size_t before = 0;
  for (std::size_t bytes = 64 << 10; bytes < 4 << 20; bytes += 4096) {
    const std::size_t table = choose_table({.memory_bytes = bytes})->memory_bytes;
    EXPECT_GE(table, before) << bytes;
    before = table;
  }
  EXPECT_EQ(choose_table({})->connection_bytes, 0u);
}

TEST(TableChoice, ExactHasALimitIfItsRunIsAskedForIt) {
  constexpr std::size_t half = std::size_t{8} << 30;
  EXPECT_EQ(choose_table({.exact_limit_bytes = half})->limit_bytes, half);
  const TableWishes named{
      .kind = TableKind::exact, .memory_bytes = 4 << 20, .exact_limit_bytes = half};
  EXPECT_EQ(choose_table(named)->limit_bytes, std::size_t{4} << 20);
  EXPECT_EQ(choose_table(named)->connection_bytes, 0u);
  EXPECT_EQ(choose_table({.memory_bytes = 4 << 20, .exact_limit_bytes = half})->limit_bytes, 0u);
  const auto tiny = choose_table(
      {.kind = TableKind::exact, .memory_bytes = 1 << 20, .threads = 2, .exact_limit_bytes = half});
  ASSERT_FALSE(tiny);
  EXPECT_EQ(tiny.error(), TableRefusal::too_little_memory_for_exact);
}

TEST(TableChoice, TheDefaultLimitIsHalfOfTheMachinesMemory) {
  const auto all = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LE(default_exact_limit(), all / 2);
  EXPECT_GE(default_exact_limit(), all / 2 - 4096);
}

TEST(TableChoice, OnlyALiveRunThatNamesNothingHasFixedMemoryByDefault) {
  const auto chosen = [](TableWishes wishes, bool live) {
    set_table_defaults(wishes, live);
    return *choose_table(wishes);
  };
  EXPECT_EQ(chosen({}, false).limit_bytes, default_exact_limit());
  const TableChoice live = chosen({}, true);
  EXPECT_EQ(live.kind, TableKind::tailored);
  EXPECT_EQ(live.memory_bytes + live.connection_bytes, default_live_memory);
  EXPECT_EQ(chosen({.kind = TableKind::exact}, true).limit_bytes, default_exact_limit());
  const TableChoice sized = chosen({.memory_bytes = 64 << 10}, true);
  EXPECT_EQ(sized.memory_bytes + sized.connection_bytes, std::size_t{64} << 10);
}

TEST(TableChoice, RefusesWhatCannotBe) {
  const auto reason = [](const TableWishes& wishes) {
    const auto choice = choose_table(wishes);
    return choice ? std::string{} : std::string{reason_of(choice.error())};
  };
  EXPECT_NE(reason({.kind = TableKind::exact, .memory_bytes = 1 << 20}), "");
  EXPECT_EQ(reason({.memory_bytes = 4095}), "the memory must be at least 4KiB");
  EXPECT_EQ(reason({.memory_bytes = 4096}), "");
  EXPECT_NE(reason({.memory_bytes = 8191, .threads = 2}).find("each of the threads"),
            std::string::npos);
  EXPECT_NE(reason({.kind = TableKind::fridge, .stages = 4}), "");
  EXPECT_NE(reason({.kind = TableKind::staged, .stages = 0}), "");
  EXPECT_NE(reason({.kind = TableKind::staged, .stages = 9}), "");
  EXPECT_NE(reason({.kind = TableKind::staged, .entry_probability = 0.5}), "");
  EXPECT_NE(reason({.kind = TableKind::fridge, .entry_probability = 0.0}), "");
  EXPECT_NE(reason({.kind = TableKind::fridge, .entry_probability = 1.5}), "");
  EXPECT_NE(reason({.kind = TableKind::staged, .longest = 1s}), "");
  EXPECT_NE(reason({.kind = TableKind::leased, .longest = 0s}), "");
  EXPECT_EQ(reason({.kind = TableKind::fridges, .longest = 1s, .entry_probability = 1.0}), "");
}

TEST(TableChoice, EveryTableHasANameAndKeepsToItsMemory) {
  for (const TableKind kind :
       {TableKind::exact, TableKind::staged, TableKind::fridge, TableKind::fridges,
        TableKind::fridges_ivw, TableKind::leased, TableKind::tailored}) {
    EXPECT_EQ(table_named(name_of(kind)), kind);
    TableWishes wishes{.kind = kind};
    if (kind != TableKind::exact) wishes.memory_bytes = 100'000;  // no power of two
    wishes.only_table = true;
    const auto choice = choose_table(wishes);
    ASSERT_TRUE(choice) << reason_of(choice.error());
    EXPECT_FALSE(promise_of(*choice).empty());
    with_table(*choice, [&](auto table) {
      static_assert(PairTable<decltype(table)>);
      EXPECT_LE(table.request(42, Timestamp{}, 0), Admission::stored_for_a_while);
      const auto match = table.response(42, Timestamp{1ms});
      ASSERT_TRUE(match);
      EXPECT_EQ(match->delay, Duration{1ms});
      if (kind == TableKind::exact) return;
      EXPECT_LE(table.memory_bytes(), 100'000u) << name_of(kind);
      EXPECT_GE(table.memory_bytes(), 99'000u) << name_of(kind);
    });
  }
  EXPECT_FALSE(table_named("fridge "));
}

}  // namespace
}  // namespace sojourn
