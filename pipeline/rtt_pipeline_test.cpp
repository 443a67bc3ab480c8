#include "pipeline/rtt_pipeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "pipeline/test_source.h"
#include "pipeline/time_span.h"

namespace sojourn {
namespace {

using namespace test;

const std::atomic<bool> never{false};

RttOptions with_threads(unsigned threads, std::uint64_t seed = 0) {
  RttOptions options;
  options.threads = threads;
  options.seed = seed;
  return options;
}

std::string line_of(const Sample& sample) {
  return fmt::format("{} {} {} {}:{} {}:{} {} {}", to_ns(sample.time), name_of(sample.kind),
                     name_of(sample.leg), sample.requester.to_string(), sample.requester_port,
                     sample.responder.to_string(), sample.responder_port, to_ns(sample.delay),
                     sample.weight);
}

/// All that a run says, in lines that can be compared.
struct Outcome {
  std::vector<std::string> samples;
  std::vector<std::string> figures;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// What `feed` makes of a pipeline.
template <class Feed>
Outcome outcome_of(RttOptions options, Feed feed) {
  Outcome outcome;
  options.want_samples = true;
  KeptSamples kept;
  RttPipeline pipeline{options, &kept};
  feed(pipeline);
  for (const Sample& sample : kept.samples()) outcome.samples.push_back(line_of(sample));
  const Measurement& measurement = pipeline.measurement();
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const KindCounters& counters = measurement.counters(kind);
    outcome.figures.push_back(fmt::format("{}: {} samples, {} requests, {} ambiguous, {} unmatched",
                                          name_of(kind), measurement.pooled(kind).count(),
                                          counters.requests, counters.ambiguous,
                                          measurement.unmatched_requests(kind)));
  }
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    outcome.figures.push_back(
        fmt::format("skip {}: {}", i, pipeline.skipped()[static_cast<Skip>(i)]));
  const TimeSpan& span = pipeline.time_span();
  if (span.first)
    outcome.figures.push_back(fmt::format("{} to {}", to_ns(*span.first), to_ns(*span.last)));
  return outcome;
}

Outcome measure(Source& source, const RttOptions& options, const std::atomic<bool>& stop = never) {
  return outcome_of(options, [&](RttPipeline& pipeline) { pipeline.run(source, stop); });
}

Outcome measure(std::span<const StoredPacket> traffic, const RttOptions& options, bool stays = true,
                std::size_t portion = 4096, bool quiet = false) {
  MemorySource source{traffic, portion, stays};
  source.quiet_now_and_then = quiet;
  return measure(source, options);
}

TEST(RttPipeline, MeasuresPushedPacketsAsThoseOfASource) {
  const auto traffic = mixed_traffic(5'000, 1);
  std::vector<Packet> packets;
  for (const StoredPacket& stored : traffic) {
    packets.push_back(packet_of(stored.bytes));
    packets.back().time = timestamp_from_ns(stored.time_ns);
  }
  const Outcome pushed = outcome_of(with_threads(1, 1), [&](RttPipeline& pipeline) {
    const std::span all{packets};
    pipeline.process(all.first(1));  // a batch is neither filled nor exceeded by chance
    pipeline.process(all.subspan(1, 1000));
    pipeline.process({});
    pipeline.process(all.subspan(1001));
    pipeline.finish();
  });
  EXPECT_EQ(pushed, measure(traffic, with_threads(1, 1)));
}

// They were set when somebody asked for the figures, so that who kept the figures had old ones.
TEST(RttPipeline, FiguresAddUpAtEveryMomentHoweverOftenTheyAreRead) {
  const auto traffic = mixed_traffic(5'000, 2);
  RttPipeline pipeline{with_threads(1, 1)};
  const Measurement& figures = std::as_const(pipeline).measurement();
  std::uint64_t unmatched = 0;
  for (const StoredPacket& stored : traffic) {
    Packet packet = packet_of(stored.bytes);
    packet.time = timestamp_from_ns(stored.time_ns);
    pipeline.process({&packet, 1});
    if (&stored != &traffic[2'500] && &stored != &traffic.back()) continue;
    for (std::size_t i = 0; i < kind_count; ++i) {
      const Kind kind = static_cast<Kind>(i);
      const KindCounters& counters = figures.counters(kind);
      unmatched += figures.unmatched_requests(kind);
      EXPECT_EQ(figures.pooled(kind).count() + counters.ambiguous + counters.left_out.total() +
                    figures.unmatched_requests(kind),
                counters.requests)
          << name_of(kind);
    }
  }
  EXPECT_GT(unmatched, 100u);
}

TEST(RttPipeline, MeasuresLiveUntilItIsStopped) {
  const auto traffic = mixed_traffic(5'000, 1);
  const auto samples_after = [&](int batches, bool stopped) {
    MemorySource source{traffic, 100};
    RttPipeline pipeline{with_threads(1, 1)};
    const std::atomic<bool> stop{stopped};
    pipeline.run_live(source, stop, [&] { return batches-- > 0; });
    return pipeline.measurement().samples();
  };
  EXPECT_EQ(samples_after(10, true), 0u);
  EXPECT_EQ(samples_after(0, false), 0u);
  const auto few = samples_after(10, false), all = samples_after(1'000'000, false);
  EXPECT_GT(few, 0u);
  EXPECT_GT(all, 2 * few);
  RttPipeline pipeline{with_threads(1, 1)};
  MemorySource source{traffic};
  pipeline.run(source, never);
  EXPECT_EQ(all, pipeline.measurement().samples());
}

class Threads : public testing::TestWithParam<unsigned> {};

TEST_P(Threads, GiveTheSameSamplesInTheSameOrder) {
  for (const unsigned seed : {1u, 2u}) {
    const auto traffic = mixed_traffic(30'000, seed);
    const Outcome alone = measure(traffic, with_threads(1, seed));
    ASSERT_GT(alone.samples.size(), 5000u);
    const RttOptions options = with_threads(GetParam(), seed);
    EXPECT_EQ(measure(traffic, options), alone);
    EXPECT_EQ(measure(traffic, options, true, 100), alone) << "small portions";
    EXPECT_EQ(measure(traffic, options, true, 1000, true), alone)
        << "a source that is quiet at times";
  }
}

TEST_P(Threads, CopyBytesThatDoNotStay) {
  const auto traffic = mixed_traffic(20'000, 3);
  EXPECT_EQ(measure(traffic, with_threads(GetParam()), false), measure(traffic, {}));
}

/// Each packet with an identification of its own, as most senders give them.
std::vector<StoredPacket> identified(std::vector<StoredPacket> traffic) {
  constexpr std::size_t type_at = 12, identification_at = 14 + 4;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    Bytes& bytes = traffic[i].bytes;
    if (bytes[type_at] != std::byte{8} || bytes[type_at + 1] != std::byte{0}) continue;
    bytes[identification_at] = static_cast<std::byte>((i + 1) >> 8);
    bytes[identification_at + 1] = static_cast<std::byte>(i + 1);
  }
  return traffic;
}

// A mirror of both directions shows every packet twice, some microseconds apart and with another
// TTL.  Each copy was taken for a retransmission.
TEST_P(Threads, MeasurePacketsThatWereCapturedTwiceOnce) {
  const auto once = identified(mixed_traffic(20'000, 8));
  std::vector<StoredPacket> twice = once;
  for (StoredPacket packet : once) {
    packet.time_ns += 15'000;
    packet.bytes[14 + 8] ^= std::byte{1};
    twice.push_back(packet);
  }
  std::ranges::stable_sort(twice, {}, &StoredPacket::time_ns);
  const Outcome expected = measure(once, with_threads(1));
  const Outcome outcome = measure(twice, with_threads(GetParam()));
  ASSERT_GT(expected.samples.size(), 3000u);
  EXPECT_EQ(outcome.samples, expected.samples);
  for (std::size_t i = 0; i < kind_count; ++i) EXPECT_EQ(outcome.figures[i], expected.figures[i]);
  const std::size_t copies = kind_count + static_cast<std::size_t>(Skip::copy);
  EXPECT_EQ(expected.figures[copies], fmt::format("skip {}: 0", static_cast<int>(Skip::copy)));
  EXPECT_NE(outcome.figures[copies], expected.figures[copies]);
}

TEST_P(Threads, MeasureWithoutAConsumer) {
  const auto traffic = mixed_traffic(20'000, 4);
  std::vector<std::uint64_t> counts[2];
  for (const unsigned threads : {1u, GetParam()}) {
    MemorySource source{traffic};
    RttPipeline pipeline{with_threads(threads)};
    pipeline.run(source, never);
    for (std::size_t i = 0; i < kind_count; ++i)
      counts[threads != 1].push_back(pipeline.measurement().pooled(static_cast<Kind>(i)).count());
  }
  if (GetParam() != 1) {
    EXPECT_EQ(counts[0], counts[1]);
  }
}

/// Every request and every sample is in some column, however batches and threads cut the capture,
/// and nothing else changes.
TEST_P(Threads, CountEveryRequestInAColumn) {
  const auto traffic = mixed_traffic(20'000, 4);
  const Outcome expected = measure(traffic, with_threads(GetParam()));
  RttOptions options = with_threads(GetParam());
  options.measurement.heatmap = true;
  EXPECT_EQ(measure(traffic, options), expected);
  MemorySource source{traffic};
  RttPipeline pipeline{options};
  pipeline.run(source, never);
  const Measurement& measurement = pipeline.measurement();
  const DelayHeatmap& heatmap = *measurement.heatmap();
  EXPECT_GT(heatmap.columns(), 10u);
  for (std::size_t k = 0; k < kind_count; ++k) {
    const Kind kind = static_cast<Kind>(k);
    double requests = 0, answered = 0, samples = 0, legs = 0;
    for (std::size_t column = 0; column < heatmap.columns(); ++column) {
      requests += heatmap.requests(column, kind);
      answered += heatmap.answered(column, kind);
      for (std::size_t l = 0; l < leg_count; ++l)
        for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
          samples += heatmap.weight(column, row, kind, static_cast<Leg>(l));
    }
    for (std::size_t l = 0; l < leg_count; ++l)
      legs += static_cast<double>(measurement.leg(kind, static_cast<Leg>(l)).count());
    const KindCounters& counters = measurement.counters(kind);
    EXPECT_EQ(requests, static_cast<double>(counters.requests)) << name_of(kind);
    EXPECT_EQ(answered, static_cast<double>(measurement.pooled(kind).count() + counters.ambiguous))
        << name_of(kind);
    EXPECT_EQ(samples, legs) << name_of(kind);
  }
}

TEST_P(Threads, EndWithAnEmptySource) {
  const Outcome outcome = measure(std::span<const StoredPacket>{}, with_threads(GetParam()));
  EXPECT_TRUE(outcome.samples.empty());
  EXPECT_EQ(outcome.figures[0], "tcp: 0 samples, 0 requests, 0 ambiguous, 0 unmatched");
}

/// Never ends by itself.
class EndlessSource final : public Source {
 public:
  explicit EndlessSource(std::span<const StoredPacket> packets)
      : packets_(packets), inner_(packets, 64) {}
  Filled next(std::span<Packet> batch) override {
    const Filled filled = inner_.next(batch);
    if (filled.end) inner_ = MemorySource{packets_, 64};
    return {filled.count, false};
  }
  bool bytes_stay() const override { return true; }
  const SourceCounters& counters() const override { return inner_.counters(); }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

 private:
  std::span<const StoredPacket> packets_;
  MemorySource inner_;
};

TEST_P(Threads, StopWhenToldBeforeTheStart) {
  const auto traffic = mixed_traffic(5000, 5);
  EndlessSource source{traffic};
  const std::atomic<bool> stop{true};
  measure(source, with_threads(GetParam()), stop);
}

TEST_P(Threads, StopWhenToldOnTheWay) {
  const auto traffic = mixed_traffic(5000, 6);
  EndlessSource source{traffic};
  std::atomic<bool> stop{false};
  std::jthread later{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    stop = true;
  }};
  EXPECT_GT(measure(source, with_threads(GetParam()), stop).samples.size(), 0u);
}

TEST_P(Threads, StopAtTheLimitOfTheExactTable) {
  auto traffic = mixed_traffic(2'000, 9);
  for (std::uint32_t i = 0; i < 40'000; ++i) {  // then a flood of SYNs from all over the world
    Ends ends;
    ends.source += 0x100000 + i;
    const Segment syn{.sequence = 1, .flags = tcp_syn, .payload = 0};
    traffic.push_back({traffic.back().time_ns + 1000,
                       ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::tcp, tcp(ends, syn)))});
  }
  RttOptions options = with_threads(GetParam());
  options.table.limit_bytes = GetParam() * (std::size_t{1} << 20);
  MemorySource source{traffic};
  RttPipeline pipeline{options};
  pipeline.run(source, never);
  const auto memory = pipeline.memory();
  EXPECT_TRUE(pipeline.is_full());
  EXPECT_LE(memory.table_bytes + memory.connection_bytes, options.table.limit_bytes);
  EXPECT_LT(source.counters().packets - pipeline.packets_beyond_limit(), traffic.size());
  EXPECT_LT(pipeline.packets_beyond_limit(), source.counters().packets);
  EXPECT_GT(pipeline.measurement().samples(), 0u);  // of what came before
}

TEST_P(Threads, TickOnTheCallingThread) {
  const auto traffic = mixed_traffic(10'000, 7);
  MemorySource source{traffic};
  RttPipeline pipeline{with_threads(GetParam())};
  const auto caller = std::this_thread::get_id();
  int ticks = 0;
  pipeline.run(source, never,
               [&] { ticks += std::this_thread::get_id() == caller ? 1 : 1'000'000; });
  EXPECT_GT(ticks, 0);
  EXPECT_LT(ticks, 1'000'000);
}

TEST_P(Threads, ManyShortRunsAllEnd) {  // where a lost wake-up would hang
  const auto traffic = mixed_traffic(9000, 8);
  const Outcome alone = measure(traffic, {});
  for (std::size_t i = 0; i < 60; ++i)
    ASSERT_EQ(measure(traffic, with_threads(GetParam()), i % 2 == 0, 40 + 61 * i, i % 3 == 0),
              alone)
        << i;
}

INSTANTIATE_TEST_SUITE_P(Several, Threads, testing::Values(1u, 2u, 3u, 7u));

TEST(RttPipeline, AnonymizesConsistently) {
  const auto traffic = mixed_traffic(5000, 9);
  RttOptions hiding = with_threads(1);
  hiding.anonymize = true;
  const Outcome plain = measure(traffic, {}), hidden = measure(traffic, hiding);
  hiding.threads = 3;
  EXPECT_EQ(hidden, measure(traffic, hiding));
  EXPECT_EQ(hidden.figures, plain.figures);
  ASSERT_EQ(hidden.samples.size(), plain.samples.size());
  for (const std::string& line : hidden.samples)
    ASSERT_EQ(line.find("198.51.100.2:"), std::string::npos);
}

/// Queries to four servers, 10 ms apart for 8 s; the k-th server leaves k in ten unanswered, and
/// all do in the first second.
std::vector<StoredPacket> queries_of_which_some_are_lost() {
  std::vector<StoredPacket> traffic;
  for (int i = 0; i < 800; ++i) {
    const auto server = static_cast<std::uint32_t>(i % 4);
    const auto source_port = static_cast<std::uint16_t>(20'000 + i);
    const Ends ends{0xc0000201, 0xc6336400 + server, source_port, 53};
    const auto add = [&](std::int64_t ns, bool response) {
      const Ends way = response ? ends.swapped() : ends;
      const Bytes message = dns(static_cast<std::uint16_t>(i), response, "www.example");
      traffic.push_back(
          {1'700'000'000'000'000'000 + ns,
           ethernet(EtherType::ipv4, ipv4(way, IpProtocol::udp,
                                          udp(way.source_port, way.destination_port, message)))});
    };
    add(std::int64_t{i} * 10'000'000, false);
    if (i >= 100 && i / 4 % 10 >= static_cast<int>(server))
      add(std::int64_t{i} * 10'000'000 + 4'000'000, true);
  }
  return traffic;
}

std::vector<std::string> unanswered_of(const RttOptions& options) {
  const auto traffic = queries_of_which_some_are_lost();
  MemorySource source{traffic, 100, false};
  RttPipeline pipeline{options};
  pipeline.run(source, never);
  std::vector<std::string> lines;
  for (const auto& row : pipeline.loss()->request_groups(10))
    lines.push_back(fmt::format("{}: {} of {}", row.label, row.unanswered.part, row.requests));
  for (const auto& row : pipeline.loss()->request_slices())
    lines.push_back(fmt::format("{}: {} of {}", to_ns(row.start) / 1'000'000'000 - 1'700'000'000,
                                row.unanswered.part, row.requests));
  return lines;
}

TEST(RttPipeline, TellsUnansweredRequestsByGroupAndSlice) {
  RttOptions options = with_threads(1);
  options.loss = true;
  options.measurement.grouping = *Grouping::parse("host");
  options.measurement.window = std::chrono::seconds{4};
  const std::vector<std::string> expected = {"198.51.100.3: 76 of 200", "198.51.100.2: 59 of 200",
                                             "198.51.100.1: 42 of 200", "198.51.100.0: 25 of 200",
                                             "0: 142 of 400",           "4: 60 of 400"};
  EXPECT_EQ(unanswered_of(options), expected);
  options.threads = 3;
  EXPECT_EQ(unanswered_of(options), expected);

  options.threads = 1;
  options.measurement.grouping = *Grouping::parse("dns-code");
  EXPECT_EQ(unanswered_of(options).size(), 2u) << "a code is known of answers only";
  options.measurement.grouping = *Grouping::parse("dns-name,dns-type");
  EXPECT_EQ(unanswered_of(options).front(), "www.example A: 202 of 800");
  options.table = choose_table({.kind = TableKind::tailored, .memory_bytes = 1 << 20}).value();
  EXPECT_EQ(unanswered_of(options).front(), "www.example A: 202 of 800") << "all have room";
}

std::vector<Packet> packets_at(std::initializer_list<std::int64_t> times_ns) {
  std::vector<Packet> packets;
  for (const std::int64_t ns : times_ns) packets.push_back({.time = timestamp_from_ns(ns)});
  return packets;
}

TEST(TimeSpan, IsFromTheEarliestToTheLatestWhateverTheOrder) {
  TimeSpan span;
  span.extend({});
  EXPECT_FALSE(span.first || span.last);
  span.extend(packets_at({30, 10, 20}));
  EXPECT_EQ(span.first, timestamp_from_ns(10));
  EXPECT_EQ(span.last, timestamp_from_ns(30));
  span.extend(packets_at({15, 25}), true);
  EXPECT_EQ(span.first, timestamp_from_ns(10));
  EXPECT_EQ(span.last, timestamp_from_ns(30));
  span.extend(packets_at({5, 5, 40}), true);
  EXPECT_EQ(span.first, timestamp_from_ns(5));
  EXPECT_EQ(span.last, timestamp_from_ns(40));
}

}  // namespace
}  // namespace sojourn
