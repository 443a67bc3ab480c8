#include "export/rtt/text/text_report.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <sstream>

#include "export/rtt/test_example_report.h"
#include "export/text_cells.h"
#include "export/text_table.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view golden = R"(
example.pcap
2 500 packets, 1.2 MiB, 1 250 packets/s
2.000 s from 2026-11-07 12:00:00 UTC

which leg the delay is on, by handshake
client ─505.0us── capture ────────────────10.10ms──────────────── server  median
client ─950.5us── capture ────────────────19.01ms──────────────── server  p95
95 % of the median is on the server leg.

kind      leg    samples     min   median ±95%     p95     p99     max    mean
tcp       server     750 20.00us 10.00ms ±0.72 18.99ms 19.79ms 19.98ms 10.00ms
          client     250 4.000us   502.0us ±62 950.2us 990.0us 1.000ms 502.0us
handshake sum        100 210.0us  10.61ms ±2.5 19.96ms 20.79ms 21.00ms 10.61ms
          server     100 200.0us  10.10ms ±2.0 19.01ms 19.80ms 20.00ms 10.10ms
          client     100 10.00us   505.0us ±98 950.5us 990.1us 1.000ms 505.0us
icmp      server       3 5.000ms    10.00ms ±? 14.50ms 14.90ms 15.00ms 10.00ms

where the delays lie (each row to its own peak, logarithmic)
tcp       server                ▁   ▁ ▁  ▁ ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▂▂▂▃▃▄▄▅▆▇█▃
          client      ▁   ▁ ▁ ▁ ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▂▂▃▃▃▄▅▆▇█▁
handshake sum                                 ▁   ▁  ▁▁ ▁▁▁▁▁▁▁▂▂▂▂▃▃▄▅▆▆█▆
icmp      server                                                 █    █ █
                  ─────────┴─────────────┴──────────────┴─────────────┴─────────
                         10 us        100 us          1 ms          10 ms

what became of the requests
kind       requests  samples  of flows  ambiguous  unanswered
tcp           1 100    1 000       985    40 (4%)     60 (5%)
handshake       100      100       100          0           0
ntp               2        0         0          0    2 (100%)
icmp              3        3         3          0           0

slices of 1.000 s, UTC, 2026-11-07
start     kind       leg     samples      p50      p95      p99      max
12:00:00  tcp        server      375  5.000ms  9.486ms  9.885ms  9.980ms
                     client      124  250.0us  471.4us  491.1us  496.0us
          handshake  server       49  5.000ms  9.320ms  9.704ms  9.800ms
                     client       49  250.0us  466.0us  485.2us  490.0us
                     sum          49  5.250ms  9.786ms  10.19ms  10.29ms
          icmp       server        3  10.00ms  14.50ms  14.90ms  15.00ms
12:00:01  tcp        server      375  15.00ms  19.49ms  19.89ms  19.98ms
                     client      125  748.0us  971.2us  991.0us  996.0us
          handshake  server       50  14.90ms  19.31ms  19.70ms  19.80ms
                     client       50  745.0us  965.5us  985.1us  990.0us
                     sum          50  15.64ms  20.28ms  20.69ms  20.79ms
12:00:02  tcp        client        1  1.000ms  1.000ms  1.000ms  1.000ms
          handshake  server        1  20.00ms  20.00ms  20.00ms  20.00ms
                     client        1  1.000ms  1.000ms  1.000ms  1.000ms
                     sum           1  21.00ms  21.00ms  21.00ms  21.00ms

6 of 6 groups by port, most samples first
samples      p50      p95      p99  kind       leg     port
    750  10.00ms  18.99ms  19.79ms  tcp        server  port 443
    250  502.0us  950.2us  990.0us  tcp        client  port 443
    100  10.10ms  19.01ms  19.80ms  handshake  server  port 443
    100  505.0us  950.5us  990.1us  handshake  client  port 443
    100  10.61ms  19.96ms  20.79ms  handshake  sum     port 443
      3  10.00ms  14.50ms  14.90ms  icmp       server  no port

service level
✓ met        tcp p95 < 50ms  server  is 18.99 ms (18.68 ms to 19.30 ms)
✓ met        tcp p95 < 50ms  client  is 950.2 us (923.4 us to 977.1 us)
✗ violated   tcp.server median < 5ms  is 10.00 ms (9.287 ms to 10.71 ms)
? undecided  icmp p95 < 50ms  is 14.50 ms (5.000 ms to at least 15.00 ms)
? undecided  quic mean < 1ms  no samples

skipped packets: 7 arp, 2 truncated
warning: example.pcap ends in the middle of a packet

± covers the true median with 95 % confidence, by how much flows differ (for
dns, ntp and icmp: pairs of hosts); ? stands where there are too few samples to
tell. Quantiles are those of the samples, to the nanosecond. Table exact: 4 KiB,
connections: 0 B. With fewer than 100 samples p99 is little more than the
maximum. tcp delays include what a receiver waits before it acknowledges.
)";

TEST(TextReport, LooksLikeThis) {
  const ExampleReport example;
  EXPECT_EQ(text_report(example.report), golden.substr(1));
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines{text};
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(TextReport, FitsEightyColumnsWithMillionsOfSamplesOfAllKinds) {
  Measurement measurement{
      MeasurementOptions{.keep = Keep::histogram, .window = {}, .grouping = {}, .split = {}}};
  std::mt19937_64 random{1};
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    for (const Leg leg : {Leg::external, Leg::internal})
      for (int i = 0; i < (kind == 0 ? 1'200'000 : 2000); ++i)
        measurement.add_light(
            static_cast<Kind>(kind), leg, {},
            Duration{static_cast<std::int64_t>(random() >> (20 + random() % 40))});
  RttReport report;
  report.measurement = &measurement;
  report.input.files = {"a.pcap"};
  EXPECT_LE(widest_line(text_report(report)), 80u);
}

TEST(TextReport, IsPureAsciiWhenAsked) {
  const ExampleReport example;
  const std::string text = text_report(example.report, {.color = false, .unicode = false});
  EXPECT_TRUE(
      std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
}

TEST(TextReport, HasColoursOnlyWhenAsked) {
  const ExampleReport example;
  EXPECT_EQ(text_report(example.report).find('\033'), std::string::npos);
  EXPECT_NE(text_report(example.report, {.color = true}).find("\033[31m"), std::string::npos);
}

TEST(TextReport, SaysWhatWasSeenWhenNothingWasMeasured) {
  Measurement measurement;
  RttReport report;
  report.measurement = &measurement;
  EXPECT_NE(text_report(report).find("The input holds no packets"), std::string::npos);

  report.input.packets = 10;
  EXPECT_NE(text_report(report).find("No packet is a request"), std::string::npos);
  report.input.skipped = {{"unknown ethertype", 10}};
  EXPECT_NE(text_report(report).find("Every packet was skipped"), std::string::npos);

  measurement.counters(Kind::dns) = {4};
  const std::string text = text_report(report);
  EXPECT_NE(text.find("4 requests were seen, but no response"), std::string::npos);
  EXPECT_EQ(text.find("median"), std::string::npos);
}

TEST(TextCells, NeverPromiseTooMuch) {
  const auto cell = [](Duration value, Duration low, Duration high) {
    return with_margin(value, {low, high}, true);
  };
  EXPECT_EQ(cell(20'310'000ns, 20'301'000ns, 20'315'000ns), "20.31ms ±0.01");
  EXPECT_EQ(cell(20'310'000ns, 20'310'000ns, 20'310'001ns), "20.31ms ±0.01");
  EXPECT_EQ(cell(20'310'000ns, 20'310'000ns, 20'310'000ns), "20.31ms ±0");
  EXPECT_EQ(cell(900ns, 880ns, 950ns), "900ns ±50");
  EXPECT_EQ(with_margin(5ms, {1ms, 9ms, true, false}, false), "5.000ms +-?");
  EXPECT_EQ(percent(0, 10), "0");
  EXPECT_EQ(percent(1, 1000), "<1");
  EXPECT_EQ(percent(999, 1000), ">99");
  EXPECT_EQ(percent(10, 10), "100");
  EXPECT_EQ(cell(500us, 390us, 610us), "500.0us ±110");
  EXPECT_EQ(cell(10'500us, 8'190us, 12'810us), "10.50ms ±2.4");
  EXPECT_EQ(compact_count(999'999), "999 999");
  EXPECT_EQ(compact_count(12'345'678), "12.35 M");
  EXPECT_EQ(compact_count(2'000'000'000), "2.000 G");
}

TEST(TextReport, SaysAtTheTopWhatTheKernelDropped) {
  ExampleReport example;
  example.report.input.kernel_drops = 5;
  example.report.input.passed = 10;
  const std::string text = text_report(example.report);
  const auto warning =
      text.find("\nwarning: the kernel dropped 5 of 10 packets (50 %) before they ");
  ASSERT_NE(warning, std::string::npos);
  EXPECT_LT(warning, text.find("median"));
}

TEST(TextReport, SaysHowManyGroupsThatBrokeARuleAreNotShown) {
  ExampleReport example;
  SlaGroups groups;
  groups.rule = "each tcp p95 < 1ms";
  groups.counts[static_cast<std::size_t>(SlaVerdict::violated)] = 5;
  for (const char* host : {"10.0.0.1", "10.0.0.2"}) {
    SlaResult& result = groups.shown.emplace_back();
    result.group = host;
    result.value = 7ms;
    result.verdict = SlaVerdict::violated;
  }
  groups.shown.emplace_back().group = "10.0.0.3";
  example.report.sla_groups = {groups};
  const std::string text = text_report(example.report);
  EXPECT_NE(text.find("of 5 groups, 5 violated, 0 undecided, 0 met"), std::string::npos) << text;
  EXPECT_NE(text.find("  and 3 more: see --top\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("10.0.0.3"), std::string::npos);
}

TEST(TextReport, ShowsForeignTextAndDoesNotObeyIt) {
  ExampleReport example;
  example.report.input.files = {"\033[2J\xff.pcap"};
  example.report.input.warnings = {"\033[2J\xff.pcap: cut"};
  const std::string text = text_report(example.report);
  EXPECT_TRUE(text.starts_with("\\x1b[2J\\xff.pcap\n"));
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(TextReport, NamesEachReasonForWhichATableLeftRequestsOut) {
  ExampleReport example;
  auto& left_out = example.measurement.counters(Kind::tcp).left_out;
  left_out[static_cast<LeftOut>(0)] = 1;
  left_out[static_cast<LeftOut>(1)] = 7;
  const std::string text = text_report(example.report);
  const auto at = text.find("left out: 1 ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find(", 7 ", at), text.find(", ", at));
  left_out[static_cast<LeftOut>(1)] = 0;
  EXPECT_NE(text_report(example.report).find("left out: 1 "), std::string::npos) << "a single one";
}

TEST(TextReport, ShowsUnansweredRequestsOfGroupsInTheOrderThatWasAskedFor) {
  ExampleReport example;
  LossTally loss{{.grouping = *Grouping::parse("port"), .window = {}}};
  const auto ask = [&](std::uint16_t port, int requests, int answers) {
    Sample sample;
    sample.kind = Kind::dns;
    sample.responder_port = port;
    for (int i = 0; i < requests; ++i) loss.ask(sample);
    for (int i = 0; i < answers; ++i) loss.answer(sample);
  };
  ask(53, 1000, 900);
  ask(5353, 200, 120);
  example.report.loss = &loss;
  const auto text = [&] {
    const std::string all = text_report(example.report, {.color = false, .unicode = false});
    const auto at = all.rfind('\n', all.find("kind  port, "));
    EXPECT_EQ(all.substr(at - 1, 2), "\n\n") << all;
    return all.substr(at);
  };
  const std::string most = text();
  EXPECT_TRUE(most.contains("port, most unanswered first\n")) << most;
  EXPECT_LT(most.find("port 53\n"), most.find("port 5353\n")) << most;
  example.report.sort = GroupOrder::lost;
  const std::string highest = text();
  EXPECT_TRUE(highest.contains("port, highest share first\n")) << highest;
  EXPECT_GT(highest.find("port 53\n"), highest.find("port 5353\n")) << highest;
}

TEST(TextReport, LossOverTimeIsATableOfItsOwn) {
  ExampleReport example;
  LossTally loss{{.grouping = {}, .window = 1s}};
  Sample sample;
  sample.time = ExampleReport::start;
  sample.leg = Leg::server;
  loss.add(1u << index_of(LossSign::segment), 1, 1, sample);
  example.report.loss = &loss;
  const std::string text = text_report(example.report, {.color = false, .unicode = false});
  const auto head = text.find("start         tcp to");
  ASSERT_NE(head, std::string::npos) << text;
  EXPECT_EQ(text.substr(head - 2, 2), "\n\n") << text;
  EXPECT_EQ(text.find("In fixed memory"), std::string::npos) << "all were followed";

  example.report.loss_followed = 0.5;
  EXPECT_NE(
      text_report(example.report, {.color = false, .unicode = false}).find("In fixed memory 50 %"),
      std::string::npos);
}

TEST(TextReport, SaysHowMuchLossIsInNoRow) {
  ExampleReport example;
  LossTally loss{
      {.grouping = *Grouping::parse("port"), .max_groups = 1, .window = 1s, .max_slices = 1}};
  Sample sample;
  sample.kind = Kind::dns;
  for (const auto port : std::array<std::uint16_t, 2>{53, 443}) {
    sample.responder_port = port;
    loss.add(1u << index_of(LossSign::segment), 1, 1, sample);
    loss.ask(sample);
  }
  example.report.loss = &loss;
  const auto text = [&] { return text_report(example.report, {.color = false, .unicode = false}); };
  EXPECT_TRUE(text().contains(
      "1 TCP packets and 1 requests are in no group: there were too many groups.\n"))
      << text();
  EXPECT_FALSE(text().contains("in no slice")) << text();
  sample.time = Timestamp{} + 5s;
  loss.ask(sample);
  EXPECT_TRUE(text().contains(
      "0 TCP packets and 1 requests are in no slice: there were too many slices.\n"))
      << text();
}

TEST(TextReport, SaysWhereTheDelayIsAndHowSureThatIs) {
  // The median is on the client leg, one in ten of the handshakes waits for the server.
  const auto text_of = [](int flows) {
    Measurement measurement;
    for (int i = 0; i < flows; ++i)
      for (const Leg leg : {Leg::client, Leg::server}) {
        Sample sample;
        sample.kind = Kind::handshake;
        sample.leg = leg;
        sample.delay = leg == Leg::client ? 10ms : i % 10 == 0 ? 200ms : 1ms;
        sample.requester_port = static_cast<std::uint16_t>(1024 + i);
        measurement.add(sample);
      }
    RttReport report;
    report.measurement = &measurement;
    return text_report(report, {.color = false, .unicode = false});
  };
  const std::string many = text_of(1000);
  EXPECT_NE(
      many.find("91 % of the median is on the client leg, but 95 % of p95 on the server leg."),
      std::string::npos)
      << many;
  const std::string few = text_of(5);
  EXPECT_NE(few.find("there are too few flows to be sure"), std::string::npos) << few;
}

TEST(TextReport, ShowsLossOfGroupsInATableOfItsOwn) {
  ExampleReport example;
  LossTally loss{{.grouping = *Grouping::parse("port"), .window = {}}};
  Sample sample;
  sample.leg = Leg::server;
  sample.responder_port = 443;
  for (std::uint64_t flow = 0; flow < 100; ++flow) {
    const auto bit = [](LossSign sign) { return 1u << index_of(sign); };
    const unsigned again = flow % 10 == 0 ? bit(LossSign::retransmitted) : 0;
    loss.add(static_cast<std::uint16_t>(bit(LossSign::segment) | bit(LossSign::packet) | again), 1,
             flow, sample);
  }
  example.report.loss = &loss;
  const std::string text = text_report(example.report, {.color = false, .unicode = false});
  const auto head = text.find("port, most loss first\n");
  ASSERT_NE(head, std::string::npos) << text;
  const auto line = text.rfind('\n', head);
  EXPECT_EQ(text.substr(line - 1, 2), "\n\n") << text;
  EXPECT_NE(text.find("port 443", head), std::string::npos);
}

TEST(TextReport, SaysHowTheKernelMeasured) {
  ExampleReport example;
  EngineSummary engine;
  engine.name = "kernel";
  engine.how = "tc (tcx)";
  engine.why = "it can";
  engine.packets = 12'345;
  engine.missed = 7;
  engine.missed_what = Missed::samples;
  engine.cost_ns = 81.4;
  engine.entry_probability = 0.125;
  engine.asked = 2'000;
  engine.turned_away = 500;
  engine.kernel_bytes = 3 << 20;
  engine.process_bytes = 5 << 20;
  example.report.engine = engine;
  std::string text = text_report(example.report, {});
  std::ranges::replace(text, '\n', ' ');
  for (const char* const part :
       {" Engine: kernel, tc (tcx) (it can).", " 12 345 packets seen, 7 samples missed.",
        " 500 of 2 000 requests (25 %) were not let in;", " At the end 1 of 8 requests was let in.",
        " 81 ns a packet in the kernel's program.",
        " Memory: 3 MiB in the kernel, 5 MiB in this process."})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

}  // namespace
}  // namespace sojourn
