// make_store STORE NOW: a store whose content the tests of the page know.
// make_store STORE NOW --column DELAY_MS: one more slice of 10 s that ends at NOW, for the live
// view.
//
// make_store STORE NOW --large: as much as a page may have to draw (bench/page_speed.mjs):
// large:day has a day of 1 000 prefixes, large:cells 240 columns of 10 min with 440 rows each.
//
// NOW is in seconds since 1970, a multiple of 10.  For 25 hours before it, in slices of 10 s (the
// last two hours) and 10 min (before):
//
//     north:south  one-way, 198.51.100.0/24: half of the packets 4 ms, half 8 ms; 1 % lost
//                  203.0.113.0/24: 20 ms; in the last 10 minutes 30 ms
//     south:north  one-way, -1 ms: the clocks differ
//     north        tcp, leg server, 192.0.2.0/24: 10 ms;  dns: 25 ms
//     shop         tcp, leg server, three flows: two to 198.51.100.1 port 443 with 10 and 12 ms,
//     one
//                  to 198.51.100.2 port 5432 with 40 ms; in the last 10 minutes 60 ms;
//                  198.51.100.0/24: tls, server 20 ms, client 2 ms, sum 22 ms; response, server
//                  40 ms, of that 25 ms thinking
//
//     paris:lyon   one-way, ten prefixes of 100.64.0.0/16: 5 ms and a queue that grows towards the
//     end, with
//                  loss where it is full; drawn with a fixed seed.  For pictures, not for numbers.
//
// Names of points are what the network says: one of them is markup, which must be shown as text.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "naming/stored_group.h"
#include "store/cell_batch.h"
#include "store/store.h"

using namespace sojourn;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> subjects = {
    "north:south", "south:north", "north", "<img src=x onerror=alert(1)>", "paris:lyon", "shop"};
const std::vector<std::string> large_subjects = {"large:day", "large:cells"};

struct Stream {
  std::uint32_t subject;
  std::uint8_t measure, leg;
  const char* prefix;
};

void add(CellBatch& batch, const Stream& stream, Timestamp at, std::int32_t bin, int packets,
         std::uint64_t first_flow = 0) {
  CellSeries series;
  series.slice = slice_of(at, finest_slice);
  series.subject = stream.subject;
  series.measure = stream.measure;
  series.leg = stream.leg;
  // A flow, or the address of a /24.
  const bool is_flow = std::string_view{stream.prefix}.find('>') != std::string_view::npos;
  const Prefix group = *parse_group(is_flow ? stream.prefix : std::string{stream.prefix} + "/24");
  series.prefix = group.network();
  series.prefix_length = static_cast<std::uint8_t>(group.length());
  for (int i = 0; i < packets; ++i)
    batch.add(series, bin, FlowTag::numbered(first_flow + static_cast<std::uint64_t>(i)), 1);
}

std::uint8_t leg_of(Leg leg) { return static_cast<std::uint8_t>(index_of(leg)); }
std::int32_t bin_of(Duration delay) { return LogBuckets::index_of(to_ns(delay)); }

void add_slice(CellBatch& batch, Timestamp at, Timestamp now) {
  const auto oneway = number_of(Measure::oneway), loss = number_of(Measure::loss);
  const Stream first{0, oneway, 0, "198.51.100.0"}, second{0, oneway, 0, "203.0.113.0"};
  add(batch, first, at, bin_of(4ms), 50);
  add(batch, first, at, bin_of(8ms), 50);
  add(batch, second, at, bin_of(at >= now - 10min ? 30ms : 20ms), 60);
  const Stream lost{0, loss, 0, "198.51.100.0"};
  add(batch, lost, at, static_cast<std::int32_t>(LossBin::sent), 100);
  add(batch, lost, at, static_cast<std::int32_t>(LossBin::arrived), 99);
  add(batch, {1, oneway, 0, "192.0.2.0"}, at, bin_of(-1ms), 40);
  add(batch, {2, number_of(Kind::tcp), 0, "192.0.2.0"}, at, bin_of(10ms), 80);
  add(batch, {2, number_of(Kind::dns), 0, "192.0.2.0"}, at, bin_of(25ms), 8);
  add(batch, {3, number_of(Kind::icmp), 0, "192.0.2.0"}, at, bin_of(1ms), 4);
  const auto tcp = number_of(Kind::tcp);
  add(batch, {5, tcp, 0, "192.0.2.7:50001 > 198.51.100.1:443"}, at, bin_of(10ms), 30);
  add(batch, {5, tcp, 0, "192.0.2.8:50002 > 198.51.100.1:443"}, at, bin_of(12ms), 30);
  add(batch, {5, tcp, 0, "192.0.2.7:50003 > 198.51.100.2:5432"}, at,
      bin_of(at >= now - 10min ? 60ms : 40ms), 40);
  const auto tls = number_of(Kind::tls), response = number_of(Kind::response);
  add(batch, {5, tls, leg_of(Leg::server), "198.51.100.0"}, at, bin_of(20ms), 20);
  add(batch, {5, tls, leg_of(Leg::client), "198.51.100.0"}, at, bin_of(2ms), 20);
  add(batch, {5, tls, leg_of(Leg::sum), "198.51.100.0"}, at, bin_of(22ms), 10);
  add(batch, {5, response, leg_of(Leg::server), "198.51.100.0"}, at, bin_of(40ms), 10);
  add(batch, {5, response, leg_of(Leg::thinking), "198.51.100.0"}, at, bin_of(25ms), 10);
}

void add_picture(CellBatch& batch, Timestamp at, Timestamp now, std::mt19937_64& random) {
  const double hours = std::chrono::duration<double, std::ratio<3600>>(now - at).count();
  for (int third = 0; third < 10; ++third) {
    const std::string prefix = "100.64." + std::to_string(third) + ".0";
    const Stream delays{4, number_of(Measure::oneway), 0, prefix.c_str()};
    const Stream losses{4, number_of(Measure::loss), 0, prefix.c_str()};
    // Two busy stretches; the last prefix is behind a longer way.
    const double queue = 1.5 + 30 * std::exp(-std::pow((hours - 0.4) / 0.15, 2)) +
                         8 * std::exp(-std::pow((hours - 3) / 1.5, 2));
    std::exponential_distribution<double> waiting{1 / queue};
    for (int i = 0; i < 12; ++i) {
      const double wait = waiting(random);
      const std::uint64_t flow = random() % 400;
      add(batch, losses, at, static_cast<std::int32_t>(LossBin::sent), 1, flow);
      if (wait > 90) continue;
      add(batch, losses, at, static_cast<std::int32_t>(LossBin::arrived), 1, flow);
      const double ms = (third == 9 ? 11 : 5) + wait;
      add(batch, delays, at, LogBuckets::index_of(static_cast<std::int64_t>(ms * 1e6)), 1, flow);
    }
  }
}

void add_large(CellBatch& batch, Timestamp now) {
  std::mt19937_64 random{17};
  std::lognormal_distribution<double> delay{std::log(8e6), 0.5};
  const auto oneway = number_of(Measure::oneway), loss = number_of(Measure::loss);
  for (Timestamp at = now - 48h; at < now; at += 10min)
    for (int group = 0; group < 1000; ++group) {
      const std::string prefix =
          "100." + std::to_string(64 + group / 250) + "." + std::to_string(group % 250) + ".0";
      for (std::uint64_t i = 0; i < 5; ++i)
        add(batch, {0, oneway, 0, prefix.c_str()}, at,
            LogBuckets::index_of(static_cast<std::int64_t>(delay(random))), 1, random() % 400);
      add(batch, {0, loss, 0, prefix.c_str()}, at, static_cast<std::int32_t>(LossBin::sent), 5);
      add(batch, {0, loss, 0, prefix.c_str()}, at, static_cast<std::int32_t>(LossBin::arrived), 5);
    }
  constexpr int columns = 240, rows = 440, bins_in_a_row = 16;
  for (int column = 1; column <= columns; ++column)
    for (int row = -rows / 2; row < rows / 2; ++row)
      add(batch, {1, oneway, 0, "192.0.2.0"}, now - column * 10min, row * bins_in_a_row,
          1 + static_cast<int>(random() % 50));
}

PointLedger ledger_of(const std::string& point, Timestamp now) {
  PointLedger ledger;
  ledger.point = point;
  ledger.instance = 7;
  ledger.first_heard = now - 25h;
  ledger.last_heard = now;
  ledger.clock_error_ns = 50'000;
  ledger.accounts[Account::packets_seen] = 1'000'000;
  ledger.accounts[Account::packets_not_selected] = 990'000;
  ledger.accounts[Account::packets_selected] = 10'000;
  ledger.accounts[Account::packets_exported] = 10'000;
  ledger.accounts[Account::records_exported] = 5'000;
  ledger.accounts[Account::received] = 5'000;
  ledger.accounts[Account::joined] = 4'900;
  ledger.accounts[Account::without_partner] = 100;
  ledger.accounts[Account::stored] = 4'900;
  return ledger;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  auto store = open_store(argv[1]);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  const Timestamp now = timestamp_from_ns(std::atoll(argv[2]) * 1'000'000'000);
  CellBatch batch;
  std::vector<PointLedger> ledgers;
  std::vector<SegmentClock> clocks;
  const bool large = argc == 4 && std::string_view{argv[3]} == "--large";
  if (large) {
    add_large(batch, now);
  } else if (argc > 4) {
    add(batch, {0, number_of(Measure::oneway), 0, "198.51.100.0"}, now - 10s,
        bin_of(std::chrono::milliseconds{std::atoi(argv[4])}), 100);
  } else {
    std::mt19937_64 random{17};
    const auto fill = [&](Timestamp at) {
      add_slice(batch, at, now);
      add_picture(batch, at, now, random);
    };
    for (Timestamp at = now - 25h; at < now - 2h; at += 10min) fill(at);
    for (Timestamp at = now - 2h; at < now; at += 10s) fill(at);
    for (const char* point : {"north", "south", "paris", "lyon", "<img src=x onerror=alert(1)>"})
      ledgers.push_back(ledger_of(point, now));
    clocks.push_back({0, slice_of(now - 10min, 10min), 100'000, -50'000, 60'000});
  }
  const auto done = (*store)->write(
      {now, now, large ? large_subjects : subjects, batch.blocks(), ledgers, clocks});
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
