// How many flow records a second does one core encode and decode, beside libfixbuf on the same
// records and the same template?
//
//     sojourn-bench-ipfix [SECONDS]
//
// The contenders take turns, and of each the best round counts: noise only ever adds.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/ipfix_fixbuf.h"
#include "ipfix/message_writer.h"
#include "ipfix/session.h"

using namespace sojourn;

namespace {

constexpr std::size_t record_count = 100'000;

std::vector<FlowRecord> made_records() {
  std::mt19937_64 random{1};
  std::vector<FlowRecord> records(record_count);
  std::int64_t now = 1'700'000'000'000'000'000;
  for (FlowRecord& record : records) {
    std::array<std::byte, 4> source, destination;
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    for (std::byte& byte : destination) byte = static_cast<std::byte>(random());
    record.key = {IpAddress::v4(source), IpAddress::v4(destination),
                  static_cast<std::uint16_t>(random()), 443, 6};
    record.packets = 1 + random() % 100;
    record.bytes = record.packets * 700;
    record.first = timestamp_from_ns(now += static_cast<std::int64_t>(random() % 10'000));
    record.last = record.first + std::chrono::milliseconds{random() % 1'000};
    record.first_label = static_cast<std::uint32_t>(random());
    record.last_label = static_cast<std::uint32_t>(random());
    record.tcp_flags = 0x1b;
    record.moment_squares = record.packets * 2;
  }
  return records;
}

struct Contender {
  std::string name;
  std::function<std::uint64_t()> run;  ///< gives what was processed, in records
  double best = 0;                     ///< records a second
};

void measure(Contender& contender) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t records = contender.run();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  contender.best = std::max(contender.best, static_cast<double>(records) / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const std::vector<FlowRecord> records = made_records();
  std::vector<std::vector<std::byte>> messages;
  std::size_t bytes = 0;

  // As messages go to a spool: each is copied once.
  std::vector<std::byte> spool(ipfix::most_message_bytes);
  ipfix::MessageWriter encoder{{}, [&](const ipfix::Message& message) {
                                 std::copy(message.bytes.begin(), message.bytes.end(),
                                           spool.begin());
                                 bytes += message.bytes.size();
                               }};
  const auto encode = [&] {
    encoder.begin({"bench", 1}, 1, records.back().last);
    encoder.flows(records);
    encoder.end();
    return record_count;
  };
  {
    ipfix::MessageWriter keeper{{}, [&](const ipfix::Message& message) {
                                  messages.emplace_back(message.bytes.begin(), message.bytes.end());
                                }};
    keeper.begin({"bench", 1}, 1, records.back().last);
    keeper.flows(records);
    keeper.end();
  }
  ipfix::Session session;
  PointReport report;
  for (const auto& message : ipfix::template_messages({}, records.back().last))
    session.decode(message, report);
  std::uint64_t wrong = 0;
  const auto decode = [&] {
    std::uint64_t count = 0;
    for (const auto& message : messages) {
      session.decode(message, report);
      count += report.records.size();
      wrong += report.records.empty();
    }
    return count;
  };

  std::vector<Contender> contenders{{"sojourn encode", encode}, {"sojourn decode", decode}};
  FixbufBench fixbuf{records};
  if (fixbuf.available()) {
    contenders.push_back({"libfixbuf encode", [&] { return fixbuf.encode(); }});
    contenders.push_back({"libfixbuf decode", [&] { return fixbuf.decode(); }});
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    for (Contender& contender : contenders) measure(contender);
  } while (std::chrono::steady_clock::now() < end);

  fmt::print("IPFIX flow records of 80 bytes, one core, best of the rounds\n");
  for (const Contender& contender : contenders)
    fmt::print("  {:<17} {:6.1f} million records/s  {:5.1f} ns a record\n", contender.name,
               contender.best / 1e6, 1e9 / contender.best);
  if (!fixbuf.available()) fmt::print("  libfixbuf is not installed: nothing to compare with\n");
  return decode() == record_count && wrong == 0 && bytes > 0 ? 0 : 1;
}
