#include "web/metrics/metrics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "store/cell_batch.h"

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);
const std::vector<std::string> subjects = {"a:b", "p"};

std::int32_t bin_of(Duration delay) { return LogBuckets::index_of(to_ns(delay)); }

void add(CellBatch& batch, std::uint32_t subject, std::uint8_t measure, int third, std::int32_t bin,
         double weight) {
  CellSeries series;
  series.slice = start;
  series.subject = subject;
  series.measure = measure;
  series.prefix = *IpAddress::parse("10.0." + std::to_string(third) + ".0");
  series.prefix_length = 24;
  batch.add(series, bin, FlowTag::numbered(1), weight);
}

void write(Metrics& metrics, CellBatch& batch, Timestamp now = start) {
  metrics.add({now, now, subjects, batch.blocks(), {}, {}});
}

/// The value of the first line with this beginning; NaN if there is none.
double value_of(const std::string& text, const std::string& line) {
  const auto at = text.find("\n" + line + " ");
  return at == std::string::npos ? NAN : std::stod(text.substr(at + line.size() + 2));
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ClassicBounds, AreBoundsOfBuckets) {
  for (const bool negative : {false, true}) {
    const auto& bounds = classic_bounds(negative);
    EXPECT_TRUE(std::ranges::is_sorted(bounds));
    for (const std::int64_t bound : bounds) {
      EXPECT_EQ(LogBuckets::lowest(LogBuckets::index_of(bound)), bound);
    }
  }
}

TEST(Metrics, HistogramsAreCumulativeAndFractional) {
  Metrics metrics{{.version = "1"}};
  CellBatch batch;
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(5ms), 2.5);
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(-5ms), 1);
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(80ms), 0.25);
  write(metrics, batch);
  write(metrics, batch);
  const std::string text = metrics.page("", {}).body;
  const std::string labels = "subject=\"a:b\",kind=\"oneway\"";
  const auto bucket = [&](const std::string& le) {
    return value_of(text, "sojourn_delay_seconds_bucket{" + labels + ",le=\"" + le + "\"}");
  };
  EXPECT_EQ(bucket("0"), 2);
  EXPECT_EQ(bucket("0.004194304"), 2);
  EXPECT_EQ(bucket("0.006291456"), 7);
  EXPECT_EQ(bucket("+Inf"), 7.5);
  EXPECT_EQ(value_of(text, "sojourn_delay_seconds_count{" + labels + "}"), 7.5);
  EXPECT_NEAR(value_of(text, "sojourn_delay_seconds_sum{" + labels + "}"),
              2 * (2.5 * 0.005 - 0.005 + 0.25 * 0.08), 2e-4);
}

TEST(Metrics, LossAndLedgerAreCounted) {
  Metrics metrics{{.version = "1"}};
  CellBatch batch;
  add(batch, 0, number_of(Measure::loss), 1, static_cast<std::int32_t>(LossBin::sent), 100);
  add(batch, 0, number_of(Measure::loss), 1, static_cast<std::int32_t>(LossBin::arrived), 98);
  PointLedger ledger;
  ledger.point = "no\"rth\\";
  ledger.accounts[Account::received] = 7;
  ledger.accounts[Account::waiting] = 3;
  const std::vector ledgers = {ledger};
  metrics.add({start, start, subjects, batch.blocks(), ledgers, {}});
  const std::string text = metrics.page("", {}).body;
  EXPECT_EQ(value_of(text, "sojourn_packets_sent_total{subject=\"a:b\"}"), 100);
  EXPECT_EQ(value_of(text, "sojourn_packets_arrived_total{subject=\"a:b\"}"), 98);
  EXPECT_EQ(value_of(text, "sojourn_ledger_total{point=\"no\\\"rth\\\\\",account=\"received\"}"),
            7);
  EXPECT_EQ(value_of(text, "sojourn_ledger_waiting{point=\"no\\\"rth\\\\\",account=\"waiting\"}"),
            3);
}

// Prometheus refuses a page with a label that is not UTF-8; a store may hold such names.
TEST(Metrics, NamesInLabelsArePrintableAndEscaped) {
  Metrics metrics{{.version = "1"}};
  const std::vector<std::string> hostile = {"a,b\"c\n\x1b[31m", "caf\xe9"};
  CellBatch batch;
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(5ms), 1);
  std::vector<PointLedger> ledgers(2);
  for (std::size_t i = 0; i < 2; ++i) ledgers[i].point = hostile[i];
  metrics.add({start, start, hostile, batch.blocks(), ledgers, {}});
  const std::string text = metrics.page("", {}).body;
  EXPECT_EQ(
      value_of(text,
               R"(sojourn_delay_seconds_count{subject="a,b\"c\\x0a\\x1b[31m",kind="oneway"})"),
      1)
      << text;
  EXPECT_EQ(lines_with(text, R"({point="caf\\xe9"})"), 1u) << text;
  const std::string bytes = metrics.page(protobuf_content_type, {}).body;
  EXPECT_FALSE(bytes.contains("\x1b[31m"));
  EXPECT_FALSE(bytes.contains("caf\xe9"));
}

// For any traffic the number of series is limited, and nothing is lost: what is not shown is in
// "other".
TEST(Metrics, CardinalityIsBoundedAndTheRestIsSummed) {
  Metrics metrics{{.version = "1", .most_prefixes = 5}};
  for (int round = 0; round < 3; ++round) {
    CellBatch batch;
    for (int third = 0; third < 200; ++third)
      add(batch, 1, number_of(Kind::tcp), third, bin_of(5ms), third < 5 ? 100 : 1);
    write(metrics, batch, start + round * 10s);
  }
  const std::string text = metrics.page("", {}).body;
  EXPECT_EQ(lines_with(text, "sojourn_prefix_delay_seconds_count{"), 6u);  // and "other"
  double sum = 0;
  const std::string labels = "subject=\"p\",kind=\"tcp\",leg=\"server\",prefix=\"";
  for (const char* prefix :
       {"10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24", "10.0.4.0/24", "other"})
    sum += value_of(text, "sojourn_prefix_delay_seconds_count{" + labels + prefix + "\"}");
  EXPECT_EQ(sum, 3 * (5 * 100 + 195));
  EXPECT_EQ(
      value_of(text, "sojourn_delay_seconds_count{subject=\"p\",kind=\"tcp\",leg=\"server\"}"),
      sum);
}

TEST(Metrics, AHeavyNewcomerTakesThePlaceOfTheLightest) {
  Metrics metrics{{.version = "1", .most_prefixes = 2}};
  CellBatch first;
  add(first, 1, 0, 1, bin_of(5ms), 10);
  add(first, 1, 0, 2, bin_of(5ms), 50);
  write(metrics, first);
  CellBatch second;
  add(second, 1, 0, 3, bin_of(5ms), 19);
  write(metrics, second);
  EXPECT_EQ(lines_with(metrics.page("", {}).body, "prefix=\"10.0.3.0/24\"} "), 0u);  // not twice
  write(metrics, second);
  const std::string text = metrics.page("", {}).body;
  EXPECT_GT(lines_with(text, "prefix=\"10.0.3.0/24\"} "), 0u);
  EXPECT_EQ(lines_with(text, "prefix=\"10.0.1.0/24\"} "), 0u);
}

TEST(Metrics, ProtobufIsGivenToWhoAsksForIt) {
  EXPECT_TRUE(wants_protobuf(
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
      "application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5"));
  EXPECT_FALSE(wants_protobuf("application/openmetrics-text;version=1.0.0,text/plain"));
  EXPECT_FALSE(wants_protobuf("application/vnd.google.protobuf,text/plain;encoding=delimited"));
}

TEST(NativeIndex, IsOfTheBucketThatHoldsIt) {
  for (const double seconds : {1e-9, 3.3e-6, 0.001, 0.0625, 0.5, 1.0, 2.0, 30.0}) {
    const int index = native_index(seconds);
    EXPECT_LE(seconds, std::exp2(index / 8.0) * (1 + 1e-9));
    EXPECT_GT(seconds, std::exp2((index - 1) / 8.0) * (1 - 1e-9));
  }
}

/// A double in a message: the number of its field, wire type 1, and its bytes.
std::string double_field(unsigned number, double value) {
  std::string bytes(1, static_cast<char>(number << 3 | 1));
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i));
  return bytes;
}

TEST(Protobuf, AHistogramHasItsSumAndItsCount) {
  Metrics metrics{{.version = "1"}};
  CellBatch batch;
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(5ms), 2.5);
  add(batch, 0, number_of(Measure::oneway), 1, bin_of(80ms), 1.25);
  write(metrics, batch);
  const std::string bytes =
      metrics
          .page(
              "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
              "encoding=delimited",
              {})
          .body;
  const auto count = bytes.find(double_field(4, 3.75));  // sample_count_float
  ASSERT_NE(count, std::string::npos);
  ASSERT_GE(count, 9u);
  EXPECT_EQ(bytes[count - 9], double_field(2, 0)[0]);  // sample_sum
  double sum = 0;
  std::memcpy(&sum, bytes.data() + count - 8, sizeof sum);
  EXPECT_NEAR(sum, 2.5 * 0.005 + 1.25 * 0.08, 2e-4);
}

// The bytes of a family with one gauge, derived by hand from metrics.proto.
TEST(Protobuf, AGaugeByHand) {
  const std::vector<MetricFamily> families = {
      {"up", "h", MetricType::gauge, {{{{"a", "b"}}, 1.0}}}};
  const std::string label{"\x0a\x01\x61\x12\x01\x62", 6};                       // name a, value b
  const std::string gauge{"\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf0\x3f", 11};  // value 1.0
  const std::string metric = "\x0a\x06" + label + gauge;                        // 19 bytes
  const std::string family = "\x0a\x02up\x12\x01h\x18\x01\x22\x13" + metric;    // 30 bytes
  EXPECT_EQ(protobuf_bytes(families), "\x1e" + family);
}

// Of a point that was killed and started again the newest instance counts.
TEST(Metrics, SayWhetherAMarkingPointIsSilent) {
  Metrics metrics{{.version = "1"}};
  std::vector<PointLedger> ledgers(3);
  ledgers[0].point = ledgers[1].point = "north";
  ledgers[0].instance = 1;
  ledgers[0].last_heard = start;
  ledgers[0].marking = MarkingState::silent;
  ledgers[0].accounts[Account::silences] = 1;
  ledgers[1].instance = 2;
  ledgers[1].last_heard = start + 10s;
  ledgers[1].marking = MarkingState::running;
  ledgers[2].point = "south";  // measures round trips
  const auto value = [&](std::size_t written) {
    metrics.add({start, start, subjects, {}, std::span{ledgers}.first(written), {}});
    return value_of(metrics.page("", {}).body, "sojourn_marking_point_silent{point=\"north\"}");
  };
  EXPECT_EQ(value(1), 1);
  EXPECT_EQ(value(3), 0);
  const std::string page = metrics.page("", {}).body;
  EXPECT_EQ(value_of(page, "sojourn_ledger_total{point=\"north\",account=\"silences\"}"), 1);
  EXPECT_EQ(lines_with(page, "sojourn_marking_point_silent{point=\"south\"}"), 0u);
}

}  // namespace
}  // namespace sojourn::web
