// As another program sees the library: only include/sojourn.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sojourn/sojourn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "library/deadline.h"
#include "library/test_capture.h"

namespace {

using namespace sojourn;
using test::demo;

RoundTrips measured(const RoundTripOptions& options, RoundTrips::Consumer consumer = {}) {
  auto trips = RoundTrips::create(options, std::move(consumer));
  EXPECT_TRUE(trips);
  EXPECT_TRUE(trips->read({demo()}));
  return std::move(*trips);
}

TEST(RoundTrips, ReadsACapture) {
  const RoundTrips trips = measured({});
  EXPECT_EQ(trips.packets(), 2081u);
  const Distribution tcp = trips.distribution(Kind::tcp, Leg::server);
  EXPECT_EQ(tcp.samples(), 223u);
  EXPECT_NEAR(static_cast<double>(*tcp.quantile_ns(0.5)), 20.95e6, 0.1e6);
  EXPECT_LE(*tcp.min_ns(), *tcp.quantile_ns(0.5));
  EXPECT_LE(*tcp.quantile_ns(0.5), *tcp.max_ns());
  const auto interval = tcp.interval(0.5);
  ASSERT_TRUE(interval);
  EXPECT_LE(interval->low_ns, interval->delay_ns);
  EXPECT_GE(interval->high_ns, interval->delay_ns);
  EXPECT_EQ(trips.distribution(Kind::quic).samples(), 0u);
  EXPECT_FALSE(trips.distribution(Kind::quic).quantile_ns(0.5));
}

TEST(RoundTrips, CountsWhatBecameOfTheRequests) {
  const RoundTrips trips = measured({});
  const RequestCounts icmp = trips.requests(Kind::icmp);
  EXPECT_EQ(icmp.requests, 160u);
  EXPECT_EQ(icmp.ambiguous, 0u);
  EXPECT_EQ(icmp.unanswered, 0u);
  ASSERT_EQ(trips.skipped().size(), 1u);
  EXPECT_EQ(trips.skipped()[0].name, "not-paired");
}

TEST(RoundTrips, HandsOutEverySample) {
  std::vector<Sample> samples;
  const RoundTrips trips = measured({.kinds = {Kind::icmp}}, [&](std::span<const Sample> batch) {
    samples.insert(samples.end(), batch.begin(), batch.end());
  });
  ASSERT_EQ(samples.size(), 160u);
  double sum = 0;
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.kind, Kind::icmp);
    EXPECT_EQ(sample.leg, Leg::server);
    EXPECT_EQ(sample.weight, 1);
    EXPECT_EQ(sample.requester.version, sample.responder.version);
    sum += static_cast<double>(sample.delay_ns);
  }
  EXPECT_NEAR(sum / 160, *trips.distribution(Kind::icmp).mean_ns(), 1);
  EXPECT_NE(samples[0].requester.text(), samples[0].responder.text());
}

TEST(RoundTrips, GroupsByHost) {
  const RoundTrips trips = measured({.kinds = {Kind::icmp}, .group_by = "host"});
  const auto groups = trips.groups();
  ASSERT_EQ(groups.size(), 2u) << "IPv4 and IPv6";
  EXPECT_EQ(groups[0].kind, Kind::icmp);
  EXPECT_EQ(groups[0].leg, Leg::server);
  EXPECT_GE(groups[0].distribution.samples(), groups[1].distribution.samples());
  EXPECT_EQ(groups[0].distribution.samples() + groups[1].distribution.samples(), 160u);
}

TEST(RoundTrips, MeasuresPushedPackets) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  const auto packets = test::packets_of(bytes);
  ASSERT_TRUE(trips->push(packets));
  ASSERT_TRUE(trips->finish());
  auto read = RoundTrips::create({});
  ASSERT_TRUE(read && read->read({test::folder() + "ping.pcap"}));
  EXPECT_EQ(trips->packets(), packets.size());
  EXPECT_GT(read->distribution(Kind::icmp).samples(), 10u);
  EXPECT_EQ(trips->distribution(Kind::icmp).samples(), read->distribution(Kind::icmp).samples());
  EXPECT_EQ(trips->distribution(Kind::icmp).quantile_ns(0.9),
            read->distribution(Kind::icmp).quantile_ns(0.9));
}

/// A named pipe from which packets come without an end, until nobody reads any more.
class EndlessPipe {
 public:
  EndlessPipe() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    writer_ = std::thread{[this, bytes = test::contents(test::folder() + "ping.pcap")] {
      constexpr std::size_t file_header = 24;
      const int pipe = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      std::size_t from = 0;
      while (::write(pipe, bytes.data() + from, bytes.size() - from) > 0) from = file_header;
      ::close(pipe);
    }};
  }
  ~EndlessPipe() {
    writer_.join();
    std::filesystem::remove(path);
  }
  std::string path = testing::TempDir() + "round_trips_pipe_" + std::to_string(::getpid());

 private:
  std::thread writer_;
};

TEST(RoundTrips, StopsOnTheWayWhenAnotherThreadSaysSo) {
  for (const unsigned threads : {1u, 2u}) {
    const EndlessPipe pipe;
    auto trips = RoundTrips::create({.memory_bytes = 1 << 20, .threads = threads});
    ASSERT_TRUE(trips);
    std::thread other{[&] {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      trips->stop();
    }};
    EXPECT_TRUE(trips->read({pipe.path}));
    other.join();
    EXPECT_TRUE(trips->has_ended());
    trips = Error{"nobody reads the pipe any more"};
  }
}

TEST(RoundTrips, ADistributionDoesNotChangeAfterwards) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  ASSERT_TRUE(trips->push(std::span{packets}.first(packets.size() / 2)));
  const Distribution half = trips->distribution(Kind::icmp);
  const auto samples = half.samples();
  ASSERT_TRUE(trips->push(std::span{packets}.subspan(packets.size() / 2)));
  EXPECT_EQ(half.samples(), samples);
  EXPECT_GT(trips->distribution(Kind::icmp).samples(), samples);
}

/// SYNs of different clients, which nobody answers.
struct Flood {
  explicit Flood(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& bytes = frames.emplace_back(std::array<unsigned char, 40>{
          0x45, 0,    0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10,   0, 0,    0,   192, 0, 2, 1,  // IPv4
          0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0,  0, 0, 0, 0x50, 2, 0xff, 0xff});             // TCP
      for (unsigned byte = 0; byte < 3; ++byte)
        bytes[13 + byte] = static_cast<unsigned char>(i >> (8 * (2 - byte)));
    }
    constexpr std::uint16_t raw_ip = 101;
    for (const auto& frame : frames)
      packets.push_back(
          {.time_ns = 1'000'000'000 + 1000 * static_cast<std::int64_t>(packets.size()),
           .data = frame.data(),
           .captured = 40,
           .length = 40,
           .link_type = raw_ip});
  }
  std::deque<std::array<unsigned char, 40>> frames;
  std::vector<Packet> packets;
};

TEST(RoundTrips, TheExactTableStopsAtItsLimitAndSaysSo) {
  const Flood flood{60'000};
  auto trips = RoundTrips::create({.table = "exact", .memory_bytes = 2 << 20});
  ASSERT_TRUE(trips) << trips.error();
  ASSERT_TRUE(trips->push(std::span{flood.packets}.first(100)));
  EXPECT_FALSE(trips->is_full());
  EXPECT_FALSE(trips->has_ended());
  EXPECT_TRUE(trips->warnings().empty());
  ASSERT_TRUE(trips->push(std::span{flood.packets}.subspan(100)));
  ASSERT_TRUE(trips->finish());
  EXPECT_TRUE(trips->is_full());
  EXPECT_TRUE(trips->has_ended());
  EXPECT_LE(trips->memory_bytes(), 2u << 20);
  EXPECT_EQ(trips->packets(), flood.packets.size());
  const auto measured_requests = trips->requests(Kind::handshake).requests;
  EXPECT_GT(measured_requests, 100u);
  EXPECT_LT(measured_requests, flood.packets.size());
  ASSERT_EQ(trips->warnings().size(), 1u);
  const std::string line = trips->warnings()[0];
  EXPECT_EQ(trips->limit_bytes(), 2u << 20);
  EXPECT_TRUE(line.starts_with("stopped after ")) << line;
  EXPECT_EQ(line.find("--"), std::string::npos) << "no option of the program: " << line;
}

TEST(RoundTrips, WithoutASizeTheLimitIsTheProgramsAndFarAway) {
  const Flood flood{60'000};
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  ASSERT_TRUE(trips->push(flood.packets));
  ASSERT_TRUE(trips->finish());
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  EXPECT_EQ(trips->limit_bytes(), pages / 2 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(RoundTrips::create({.memory_bytes = 64 << 10})->limit_bytes(), 0u);
  EXPECT_FALSE(trips->is_full());
  EXPECT_EQ(trips->requests(Kind::handshake).requests, flood.packets.size());
  EXPECT_TRUE(trips->warnings().empty());
}

TEST(RoundTrips, MemoryThatCannotBeHadIsAnErrorOfCreate) {
  const auto trips = RoundTrips::create({.memory_bytes = std::uint64_t{1} << 50});
  ASSERT_FALSE(trips);
  EXPECT_EQ(trips.error(), "cannot reserve 1024 TiB of memory");
  const auto few = RoundTrips::create({.memory_bytes = 4096, .threads = 2});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error(), "the memory must be at least 4KiB for each of the threads");
}

TEST(RoundTrips, RefusesInOneLine) {
  const auto refused = [](const RoundTripOptions& options) {
    const auto trips = RoundTrips::create(options);
    return trips ? std::string{} : trips.error();
  };
  EXPECT_EQ(refused({.table = "oak"}), "there is no table 'oak'");
  EXPECT_NE(refused({.inside = {"nowhere"}}), "");
  EXPECT_NE(refused({.group_by = "colour"}), "");
  EXPECT_NE(refused({.threads = 0}), "");
  EXPECT_NE(refused({.expire_ns = -1}), "");
  auto trips = RoundTrips::create({});
  EXPECT_FALSE(trips->read({}));
  EXPECT_FALSE(trips->read({"/nonexistent.pcap"}));
  EXPECT_TRUE(trips->read({demo()}));
  EXPECT_FALSE(trips->read({demo()})) << "it has its packets";
  auto live = RoundTrips::create({});
  const auto heard = live->listen("no-such-interface", 0);
  ASSERT_FALSE(heard);
  EXPECT_NE(heard.error().find("no-such-interface"), std::string::npos) << heard.error();
}

std::uint64_t count_of(const std::vector<Count>& counts, std::string_view name) {
  const auto found = std::ranges::find(counts, name, &Count::name);
  return found == counts.end() ? 0 : found->count;
}

/// Why not, or "accepted".
std::string answer_to(const Result<void>& result) { return result ? "accepted" : result.error(); }

TEST(RoundTrips, PushedPacketsAreFilteredToo) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto trips = RoundTrips::create({.filter = "icmp[icmptype] = icmp-echo"});
  ASSERT_TRUE(trips);
  EXPECT_EQ(answer_to(trips->push(packets)), "accepted");
  const RequestCounts icmp = trips->requests(Kind::icmp);
  EXPECT_GT(icmp.requests, 10u);
  EXPECT_EQ(trips->distribution(Kind::icmp).samples(), 0u) << "the answers were filtered out";
  EXPECT_GE(trips->packets(), icmp.requests);
  EXPECT_EQ(count_of(trips->skipped(), "filtered"), packets.size() - trips->packets());
}

TEST(RoundTrips, AWrongFilterIsAnErrorOfCreate) {
  const auto trips = RoundTrips::create({.filter = "icmp or ("});
  ASSERT_FALSE(trips);
  EXPECT_TRUE(trips.error().starts_with("filter 'icmp or ('")) << trips.error();
}

TEST(RoundTrips, HasOneSourceOfPackets) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto reads = RoundTrips::create({});
  ASSERT_TRUE(reads && reads->read({demo()}));
  EXPECT_EQ(answer_to(reads->push(packets)), "this measurement is finished");
  EXPECT_EQ(answer_to(reads->listen("lo", 0)), "this measurement is finished");
  EXPECT_EQ(answer_to(reads->read({demo()})), "this measurement is finished");
  EXPECT_EQ(answer_to(reads->finish()), "this measurement is finished");
  EXPECT_EQ(reads->packets(), 2081u);

  auto pushes = RoundTrips::create({});
  ASSERT_TRUE(pushes);
  EXPECT_EQ(answer_to(pushes->push(packets)), "accepted");
  EXPECT_EQ(answer_to(pushes->read({demo()})), "this measurement is of pushed packets already");
  EXPECT_EQ(answer_to(pushes->listen("lo", 0)), "this measurement is of pushed packets already");
  EXPECT_EQ(answer_to(pushes->finish()), "accepted");
  EXPECT_EQ(answer_to(pushes->finish()), "this measurement is finished");
  EXPECT_EQ(answer_to(pushes->push(packets)), "this measurement is finished");
  EXPECT_EQ(pushes->packets(), packets.size());
}

TEST(RoundTripsLive, ListensOnOneInterface) {
  auto live = RoundTrips::create({});
  ASSERT_TRUE(live);
  if (const auto heard = live->listen("lo", 0); !heard) GTEST_SKIP() << heard.error();
  EXPECT_EQ(answer_to(live->listen("lo", 1)), "accepted");
  EXPECT_EQ(answer_to(live->listen("any", 1)), "this measurement listens on lo already");
  EXPECT_EQ(answer_to(live->read({demo()})), "this measurement listens on lo already");
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  EXPECT_EQ(answer_to(live->push(test::packets_of(bytes))),
            "this measurement listens on lo already");
}

TEST(RoundTripsLive, ListensForAnyLongTime) {
  using Clock = std::chrono::steady_clock;
  auto live = RoundTrips::create({});
  ASSERT_TRUE(live);
  if (const auto heard = live->listen("lo", 0); !heard) GTEST_SKIP() << heard.error();
  EXPECT_FALSE(live->listen("lo", -1)) << "a time below nothing";
  constexpr auto wait = std::chrono::milliseconds{300};
  std::thread other{[&] {
    std::this_thread::sleep_for(wait);
    live->stop();
  }};
  const auto began = Clock::now();
  EXPECT_TRUE(live->listen("lo", std::numeric_limits<std::int64_t>::max()));
  EXPECT_GE(Clock::now() - began, wait / 2) << "until stop()";
  other.join();
}

TEST(Deadline, IsNeverBeforeNow) {
  const auto now = std::chrono::steady_clock::now();
  const auto in_a_second = v0::deadline_after(1'000'000'000);
  EXPECT_GE(in_a_second, now + std::chrono::seconds{1});
  EXPECT_LT(in_a_second, now + std::chrono::minutes{1});
  EXPECT_GT(v0::deadline_after(std::numeric_limits<std::int64_t>::max()),
            now + std::chrono::years{200});
}

/// One thread works on packets that are pushed, so it has all of the memory.
TEST(RoundTrips, PushedPacketsHaveAllOfTheMemory) {
  const Flood flood{200'000};
  const auto requests = [&](unsigned threads) {
    auto trips = RoundTrips::create(
        {.table = "exact", .memory_bytes = 8 << 20, .threads = threads, .seed = 1});
    EXPECT_TRUE(trips);
    EXPECT_EQ(answer_to(trips->push(flood.packets)), "accepted");
    EXPECT_EQ(answer_to(trips->finish()), "accepted");
    EXPECT_TRUE(trips->is_full());
    EXPECT_EQ(trips->limit_bytes(), 8u << 20);
    EXPECT_LE(trips->memory_bytes(), 8u << 20);
    return trips->requests(Kind::handshake).requests;
  };
  EXPECT_EQ(requests(4), requests(1));
}

TEST(RoundTrips, SaysWhichPacketsItDidNotMeasure) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  auto packets = test::packets_of(bytes);
  packets[0].link_type = 147;
  std::swap(packets[1].time_ns, packets.back().time_ns);
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  EXPECT_EQ(answer_to(trips->push(packets)), "accepted");
  EXPECT_EQ(count_of(trips->skipped(), "unknown-link-type"), 1u);
  ASSERT_EQ(trips->warnings().size(), 1u);
  EXPECT_NE(trips->warnings()[0].find("dated before the packet in front"), std::string::npos);
  trips->close();
  EXPECT_EQ(count_of(trips->skipped(), "unknown-link-type"), 1u);
  ASSERT_EQ(trips->warnings().size(), 1u) << "what a source said stays when it is closed";
  EXPECT_NE(trips->warnings()[0].find("dated before the packet in front"), std::string::npos);
}

TEST(RoundTrips, WarnsOfTimesThatStepBack) {
  std::string bytes = test::contents(test::folder() + "ping.pcap");
  bytes[26] = static_cast<char>(bytes[26] + 1);  // the first packet is 18 hours later
  const std::string path =
      testing::TempDir() + "round_trips_steps_" + std::to_string(::getpid()) + ".pcap";
  std::ofstream{path, std::ios::binary} << bytes;
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips && trips->read({path}));
  ASSERT_EQ(trips->warnings().size(), 1u);
  EXPECT_NE(trips->warnings()[0].find("dated before the packet in front"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(RoundTrips, NumbersThatAreNoKindOrLegAreRefused) {
  EXPECT_EQ(name_of(static_cast<Kind>(200)), "");
  EXPECT_EQ(name_of(static_cast<Kind>(kind_count)), "");
  EXPECT_EQ(name_of(static_cast<Leg>(200)), "");
  const auto refused = RoundTrips::create({.kinds = {static_cast<Kind>(200)}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "there is no kind 200");
  const RoundTrips trips = measured({});
  EXPECT_TRUE(trips.distribution(static_cast<Kind>(200)).empty());
  EXPECT_TRUE(trips.distribution(Kind::tcp, static_cast<Leg>(200)).empty());
  EXPECT_EQ(trips.requests(static_cast<Kind>(200)).requests, 0u);
}

TEST(RoundTripsDeathTest, AConsumerThatThrowsEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto throwing = [](unsigned threads) {
    auto trips = RoundTrips::create(
        {.threads = threads}, [](std::span<const Sample>) { throw std::runtime_error{"no more"}; });
    (void)trips->read({demo()});
  };
  EXPECT_EXIT(throwing(1), testing::KilledBySignal(SIGABRT), "no more");
  EXPECT_EXIT(throwing(2), testing::KilledBySignal(SIGABRT), "no more");
}

TEST(RoundTrips, StopsWhileAPipeHasNotBegun) {
  const std::string path = testing::TempDir() + "round_trips_silent_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int both_ends = ::open(path.c_str(), O_RDWR | O_CLOEXEC);  // so that opening does not wait
  ASSERT_GE(both_ends, 0);
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  struct sigaction quiet{};  // without SA_RESTART: it interrupts what the reader waits in
  quiet.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, nullptr), 0);
  std::atomic<bool> done{false};
  std::thread other{[&, reader = ::pthread_self()] {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    ::pthread_kill(reader, SIGUSR1);  // which is no reason to stop
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    trips->stop();
    for (int i = 0; i < 500 && !done; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    EXPECT_EQ(::write(both_ends, "nothing that is a capture", 25), 25);  // if nothing else helped
  }};
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(trips->read({path}));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{3});
  done = true;
  EXPECT_TRUE(trips->has_ended());
  other.join();
  ::close(both_ends);
  std::filesystem::remove(path);
}

TEST(RoundTrips, GroupsByPlaceNeedADatabase) {
  const auto refused = RoundTrips::create({.group_by = "asn"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(),
            "groups by asn and country need a database of places, which the library does not open");
}

TEST(Units, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(*parse_size("64KiB"), 65536u);
  EXPECT_EQ(*parse_duration_ns("1.5ms"), 1'500'000);
  EXPECT_FALSE(parse_duration_ns("7"));
}

}  // namespace
