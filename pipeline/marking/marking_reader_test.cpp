#include "pipeline/marking/marking_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr MarkingInterval second{0};
constexpr std::int64_t begin = 1'700'000'000;
constexpr std::uint64_t packets_an_interval = 10;

/// Counts as the kernel does, whether somebody reads or not; one packet each tenth of a second.
class Ring {
 public:
  Timestamp now() const { return now_; }
  std::int64_t slots() const { return 8; }
  void take(std::int64_t interval, Timestamp now, std::vector<MarkingRecord>& out) {
    std::uint64_t& packets = slot(interval);
    if (packets > 0)
      out.push_back({.length = second, .interval = interval, .packets = packets, .read_at = now});
    packets = 0;
    if (++takes_ == stop_at_take_) pass(stopped_for_);
  }

  void pass(Duration time) {
    for (const Timestamp end = now_ + time; now_ < end; now_ += 100ms)
      ++slot(second.at(now_).interval);
  }
  void set(Timestamp time) { now_ = time; }
  /// In the midst of reading.
  void stop_at_take(int take, Duration time) {
    stop_at_take_ = takes_ + take;
    stopped_for_ = time;
  }

 private:
  std::uint64_t& slot(std::int64_t interval) {
    return counts_[static_cast<std::size_t>(interval) % counts_.size()];
  }
  std::array<std::uint64_t, 8> counts_{};
  Timestamp now_ = second.start_of(begin);
  int takes_ = 0, stop_at_take_ = 0;
  Duration stopped_for_{};
};

class Reading {
 public:
  void run(Duration time, bool link_is_down = false) {
    for (Duration passed{}; passed < time; passed += 100ms) {
      ring.pass(100ms);
      look(link_is_down);
    }
  }
  void look(bool link_is_down = false, bool clock_was_set = false) {
    keep(reader_.advance(ring, link_is_down, clock_was_set));
  }
  void finish(bool link_is_down = false) { keep(reader_.finish(ring, link_is_down)); }

  /// All that it trusts is right.  The number of intervals that it does not trust, or not report.
  std::int64_t unknown_until(std::int64_t end) const {
    std::int64_t unknown = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto found = counts.find(i);
      const bool is_known = found != counts.end() && !doubts.contains(i);
      unknown += !is_known;
      if (is_known) {
        EXPECT_EQ(found->second, packets_an_interval) << "interval " << i - begin;
      }
    }
    return unknown;
  }
  /// Old enough to have been read.
  std::int64_t end() const { return second.at(ring.now()).interval - 2; }

  Ring ring;
  std::map<std::int64_t, std::uint64_t> counts;
  std::map<std::int64_t, MarkingFault> doubts;

 private:
  void keep(const std::vector<MarkingReport>& reports) {
    for (const MarkingReport& report : reports) {
      if (report.doubt) doubts[report.interval] = *report.doubt;
      counts[report.interval] += report.records.empty() ? 0 : report.records[0].packets;
    }
  }
  MarkingReader reader_{second, second.start_of(begin)};
};

TEST(MarkingReader, ReadsEveryIntervalOnce) {
  Reading reading;
  reading.run(30s);
  EXPECT_EQ(reading.unknown_until(begin + 28), 0);
}

// It does not give sums of several turns of the ring for one interval.
TEST(MarkingReader, AReaderThatWasStoppedTrustsNothingThatIsMixed) {
  for (Duration stop = 100ms; stop < 30s; stop += 100ms) {
    SCOPED_TRACE(to_ns(stop) / 1'000'000);
    Reading reading;
    reading.run(10s);
    reading.ring.pass(stop);
    reading.look();
    reading.run(20s);
    // Up to five seconds cost nothing; of longer ones all is lost, and what is around now.
    EXPECT_LE(reading.unknown_until(reading.end()), stop < 5s ? 0 : stop / 1s + 4);
  }
}

TEST(MarkingReader, AReaderThatIsStoppedWhileItReadsNoticesIt) {
  for (int take = 1; take <= 4; ++take)
    for (const Duration stop : {3s, 7s, 8s, 9s, 20s}) {
      SCOPED_TRACE(take);
      Reading reading;
      reading.run(10s);
      reading.ring.stop_at_take(take, stop);
      reading.run(20s);
      EXPECT_LE(reading.unknown_until(reading.end()), stop / 1s + 4);
      EXPECT_FALSE(reading.doubts.contains(reading.end() - 1));
    }
}

TEST(MarkingReader, AClockThatIsSetBackCountsNothingTwice) {
  Reading reading;
  reading.run(20s);
  reading.ring.set(second.start_of(begin + 10) + 300ms);
  reading.run(30s);
  EXPECT_LE(reading.unknown_until(reading.end()), 12);
  EXPECT_FALSE(reading.doubts.contains(begin + 30));
}

// The kernel learns how far TAI is ahead while a point runs: its clock jumps and is put right, all
// within an interval.
TEST(MarkingReader, AClockThatJumpedAndIsRightAgainIsNotTrusted) {
  Reading reading;
  reading.run(10s + 200ms);
  const Timestamp now = reading.ring.now();
  reading.ring.set(now + 37s);
  reading.ring.pass(100ms);  // counted in the place of another interval
  reading.ring.set(now + 100ms);
  reading.look(false, true);
  reading.run(20s);
  EXPECT_LE(reading.unknown_until(reading.end()), 3);
  EXPECT_TRUE(reading.doubts.contains(begin + 10));
}

// The last intervals of a run are judged like the others.
TEST(MarkingReader, ALinkThatIsDownAtTheEndIsSaid) {
  Reading reading;
  reading.run(10s + 200ms);
  reading.run(100ms, true);
  reading.finish(true);
  for (const std::int64_t i : {begin + 10, begin + 11}) {
    ASSERT_TRUE(reading.counts.contains(i));
    ASSERT_TRUE(reading.doubts.contains(i)) << i - begin;
    EXPECT_EQ(reading.doubts.at(i), MarkingFault::link_down);
  }
  EXPECT_FALSE(reading.doubts.contains(begin + 9));
}

TEST(MarkingReader, CountersThatAreSharedAtTheEndAreNotTrusted) {
  Reading reading;
  reading.run(10s + 700ms);
  reading.ring.pass(7s);
  reading.finish();
  EXPECT_TRUE(reading.doubts.contains(begin + 10));
  EXPECT_TRUE(reading.doubts.contains(begin + 18));
}

}  // namespace
}  // namespace sojourn
