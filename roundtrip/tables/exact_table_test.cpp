#include "roundtrip/tables/exact_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace sojourn {
namespace {

Timestamp at(std::int64_t ns) { return timestamp_from_ns(ns); }

constexpr std::int64_t expire = 1000, expire_long = 8000;

ExactTable::Options small_table() {
  return {
      .expire = Duration{expire}, .expire_long_lived = Duration{expire_long}, .initial_slots = 16};
}

TEST(ExactTable, AnswersOnceAndThenForgets) {
  ExactTable table{small_table()};
  EXPECT_EQ(table.request(1 << 8, at(10), 0), Admission::stored);
  const auto match = table.response(1 << 8, at(40));
  ASSERT_TRUE(match);
  EXPECT_EQ(match->delay, Duration{30});
  EXPECT_EQ(match->weight, 1.0);
  EXPECT_FALSE(match->ambiguous);
  EXPECT_FALSE(table.response(1 << 8, at(41)));
  EXPECT_EQ(table.request(1 << 8, at(50), 0), Admission::stored);
}

TEST(ExactTable, ExpiresAfterTheLimitNotAtIt) {
  for (const std::uint8_t flags : {std::uint8_t{0}, std::uint8_t{long_lived}}) {
    const std::int64_t limit = flags ? expire_long : expire;
    ExactTable table{small_table()};
    table.request(1 << 8, at(10), flags);
    table.request(2 << 8, at(10), flags);
    EXPECT_TRUE(table.response(1 << 8, at(10 + limit)));
    EXPECT_FALSE(table.response(2 << 8, at(11 + limit)));
  }
}

TEST(ExactTable, RepeatIsAmbiguousOnlyIfAskedFor) {
  ExactTable table{small_table()};
  table.request(1 << 8, at(10), repeat_is_ambiguous);
  EXPECT_EQ(table.request(1 << 8, at(20), repeat_is_ambiguous), Admission::repeated);
  table.request(2 << 8, at(10), 0);
  EXPECT_EQ(table.request(2 << 8, at(20), 0), Admission::repeated);
  EXPECT_TRUE(table.response(1 << 8, at(30))->ambiguous);
  const auto first_copy = table.response(2 << 8, at(30));
  EXPECT_FALSE(first_copy->ambiguous);
  EXPECT_EQ(first_copy->delay, Duration{20});
}

TEST(ExactTable, StandsTimesAtTheEndsOfTheirRange) {
  constexpr auto first = std::numeric_limits<std::int64_t>::min(),
                 last = std::numeric_limits<std::int64_t>::max();
  ExactTable table{small_table()};
  for (std::uint64_t i = 1; i < 100; ++i) {
    table.request(i << 57, at(i % 2 ? first : last), 0);
    table.request(i << 50, at(i % 2 ? last : first), long_lived);
  }
  EXPECT_FALSE(table.response(std::uint64_t{1} << 57, at(last)));
}

/// The specified behaviour, implemented by a sorted map.
class Model {
 public:
  /// Around its expiry, whether a request is still found depends on when other requests came.
  bool is_uncertain(std::uint64_t key, std::int64_t now, std::int64_t margin) const {
    const auto found = waiting_.find(key >> 3);
    return found != waiting_.end() &&
           std::abs(now - found->second.sent - found->second.life) <= margin;
  }
  Admission request(std::uint64_t key, std::int64_t now, std::uint8_t flags) {
    const auto found = waiting_.find(key >> 3);
    if (found != waiting_.end() && now - found->second.sent <= found->second.life) {
      if (flags & repeat_is_ambiguous) found->second.ambiguous = true;
      return Admission::repeated;
    }
    waiting_[key >> 3] = {now, flags & long_lived ? expire_long : expire, false};
    return Admission::stored;
  }
  std::optional<std::tuple<std::int64_t, bool>> response(std::uint64_t key, std::int64_t now) {
    const auto node = waiting_.extract(key >> 3);
    if (node.empty() || now - node.mapped().sent > node.mapped().life) return std::nullopt;
    return std::tuple{now - node.mapped().sent, node.mapped().ambiguous};
  }

 private:
  struct Waiting {
    std::int64_t sent, life;
    bool ambiguous;
  };
  std::map<std::uint64_t, Waiting> waiting_;
};

/// Keys that cluster at both ends of the table, and uniform ones.
std::vector<std::uint64_t> keys(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t spread = random();
    all.push_back(i % 4 == 0   ? spread | 0xffff'0000'0000'0000u
                  : i % 4 == 1 ? spread >> 20
                               : spread);
  }
  return all;
}

class ExactTableModel : public testing::TestWithParam<unsigned> {};

TEST_P(ExactTableModel, AgreesWithASortedMap) {
  std::mt19937_64 random{GetParam()};
  const auto pool = keys(random, 20u << GetParam() % 8);
  const auto step = static_cast<std::int64_t>(1 + random() % 40);
  ExactTable table{small_table()};
  Model model;
  std::int64_t now = 0, back = step * 4;
  int matches = 0, repeats = 0;
  for (int i = 0; i < 60'000; ++i) {
    now += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * step));
    const std::int64_t time =
        now -
        static_cast<std::int64_t>(random() % 4 ? 0 : random() % static_cast<std::uint64_t>(back));
    // Keys that differ only in their last four bits count as equal.
    const std::uint64_t key = pool[random() % pool.size()] ^ random() % 8;
    if (model.is_uncertain(key, time, 2 * back)) continue;
    if (random() % 5 < 3) {
      const auto flags = static_cast<std::uint8_t>(random() % 8);
      const Admission expected = model.request(key, time, flags);
      repeats += expected == Admission::repeated;
      ASSERT_EQ(table.request(key, at(time), flags), expected) << "step " << i;
    } else {
      const auto expected = model.response(key, time);
      const auto match = table.response(key, at(time));
      matches += expected.has_value();
      ASSERT_EQ(match.has_value(), expected.has_value()) << "step " << i;
      if (match) {
        ASSERT_EQ(std::tuple(to_ns(match->delay), match->ambiguous), *expected) << "step " << i;
      }
    }
  }
  EXPECT_GT(matches, 100);
  EXPECT_GT(repeats, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactTableModel, testing::Range(1u, 33u));

TEST(ExactTable, GrowsWithWhatWaitsAndFindsItAll) {
  ExactTable table{small_table()};
  std::mt19937_64 random{5};
  const auto pool = keys(random, 50'000);
  for (const std::uint64_t key : pool) table.request(key, at(7), 0);
  EXPECT_GE(table.memory_bytes(), pool.size() * 16);
  std::size_t found = 0;
  for (const std::uint64_t key : pool) found += table.response(key, at(9)).has_value();
  EXPECT_EQ(found, pool.size());
}

TEST(ExactTable, IsFullRatherThanGrowBeyondItsLimit) {
  constexpr std::size_t limit = 64 << 10;
  ExactTable::Options options = small_table();
  options.limit_bytes = limit;
  ExactTable table{options};
  BatchOutcome out;
  std::vector<PairEvent> batch(64);
  std::uint64_t key = 0;
  std::size_t asked = 0;
  while (!table.is_full() && asked < 100'000) {
    for (PairEvent& event : batch)
      event = {++key * 0x9e3779b97f4a7c15u, at(1), 0, {}, Kind::tcp, Leg::server, true, 0};
    out.start(batch.size());
    table.apply(batch, out);
    asked += out.requests(Kind::tcp);
  }
  EXPECT_TRUE(table.is_full());
  EXPECT_LE(table.memory_bytes(), limit);
  EXPECT_GT(asked, limit / 16 / 16);  // slots have 16 bytes; it is not full before it must be
  for (std::uint64_t i = 1; i <= asked; ++i)
    ASSERT_TRUE(table.response(i * 0x9e3779b97f4a7c15u, at(5))) << i;

  // A caller that ignores the limit gets an end, not a table without a free slot.
  for (int i = 0; i < 10'000; ++i) {
    for (PairEvent& event : batch) event.key = ++key * 0x9e3779b97f4a7c15u;
    out.start(batch.size());
    table.apply(batch, out);
  }
  EXPECT_LE(table.memory_bytes(), limit);
}

TEST(ExactTable, IsNotFullAsLongAsWhatWaitsExpires) {
  ExactTable::Options options = small_table();
  options.limit_bytes = 64 << 10;
  ExactTable table{options};
  for (std::uint64_t i = 1; i < 100'000; ++i)
    table.request(i * 0x9e3779b97f4a7c15u, at(static_cast<std::int64_t>(i) * 10), 0);
  EXPECT_FALSE(table.is_full());
  EXPECT_LE(table.memory_bytes(), options.limit_bytes);
}

TEST(ExactTable, MemoryFollowsWhatWaitsNotTheLengthOfTheRun) {
  ExactTable table{{.expire = Duration{expire}, .initial_slots = 4096}};
  std::mt19937_64 random{6};
  for (int i = 0; i < 2'000'000; ++i) table.request(random(), at(i), 0);  // a thousand wait
  EXPECT_LE(table.memory_bytes(), 4 * 4096 * 16u);  // the old lines and the new, while it sweeps
}

/// Few lines and many keys, so that lines fill up and spill, for long enough that marks would
/// accumulate if nothing cleared them.
TEST(ExactTable, ABatchDoesWhatItsEventsDoOneByOne) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const ExactTable::Options options{.expire = Duration{1000}, .initial_slots = 64};
    ExactTable batched{options}, single{options};
    BatchOutcome together, apart;
    std::mt19937_64 random{seed};
    std::vector<PairEvent> events(64);
    std::size_t matches = 0;
    for (int batch = 0; batch < 3000; ++batch) {
      for (std::size_t i = 0; i < events.size(); ++i) {
        const std::uint64_t key = (random() % 40) * 0x9e3779b97f4a7c15u;
        const bool asks = random() % 2 == 0;
        events[i] = {
            key,
            at(64 * batch + static_cast<int>(i)),
            0,
            {},
            Kind::tcp,
            Leg::server,
            asks,
            static_cast<std::uint8_t>(asks && random() % 2 == 0 ? repeat_is_ambiguous : 0)};
      }
      apply_batch(batched, events, together);
      apart.start(events.size());
      for (const PairEvent& event : events) apply_event(single, event, apart);
      ASSERT_EQ(together.matches().size(), apart.matches().size()) << "seed " << seed;
      for (std::size_t i = 0; i < together.matches().size(); ++i) {
        EXPECT_EQ(together.matches()[i].event, apart.matches()[i].event);
        EXPECT_EQ(together.matches()[i].match.delay, apart.matches()[i].match.delay);
        EXPECT_EQ(together.matches()[i].match.ambiguous, apart.matches()[i].match.ambiguous);
      }
      EXPECT_EQ(together.requests(Kind::tcp), apart.requests(Kind::tcp));
      matches += together.matches().size();
    }
    EXPECT_GT(matches, 10'000u);
  }
}

}  // namespace
}  // namespace sojourn
