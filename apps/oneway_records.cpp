#include "apps/oneway_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/oneway_input.h"
#include "apps/oneway_methods.h"
#include "apps/oneway_report.h"
#include "apps/output.h"
#include "oneway/cnf/cnf_point.h"
#include "oneway/cnf/record_csv.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;

Result<std::vector<FlowRecord>> read_records(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return failure(fmt::format("cannot open {}", path));
  const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
  auto records = records_from_csv(text);
  if (!records) return failure(fmt::format("{}: {}", path, records.error().message));
  return records;
}

PointReport point_of(const std::string& name, const std::vector<FlowRecord>& records) {
  PointReport point{.name = name, .captured = 0, .input = {}, .skipped = {}};
  for (const FlowRecord& record : records) {
    point.captured += record.packets;
    if (!point.input.first || record.first < *point.input.first) point.input.first = record.first;
    if (!point.input.last || record.last > *point.input.last) point.input.last = record.last;
  }
  point.input.packets = point.captured;
  return point;
}

/// What records cannot give, in one line; empty if all is well.
std::string impossible(const OnewayRequest& request) {
  for (const std::string* path : {&request.first, &request.last})
    if (*path != "-" && !std::ifstream{*path})
      return fmt::format("cannot open {}: {}", *path, std::strerror(errno));
  for (const auto& [path, other] :
       {std::pair{&request.first, &request.last}, std::pair{&request.last, &request.first}})
    if (!holds_records(*path))
      return fmt::format(
          "{} holds flow records, {} does not: both must be records, or both captures", *other,
          *path);
  if (!request.method->joins_records)
    return fmt::format(
        "{} holds flow records, and method {} needs packets; endpoint, multiflow, hybrid and "
        "nearby work on records",
        request.first, request.method->name);
  if (!request.filter.empty())
    return "--filter: records hold no packets; filter when they are written";
  if (request.correct_skew) return "--correct-skew: records hold too few packets to see a drift";
  return {};
}

}  // namespace

bool holds_records(const std::string& path) {
  if (path.empty() || path == "-") return false;
  std::ifstream file{path, std::ios::binary};
  const std::string_view wanted =
      record_csv_header.substr(0, record_csv_header.find(",source_port"));
  std::string begin(wanted.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == wanted;
}

Result<int> measure_records(const OnewayRequest& request) {
  if (const std::string reason = impossible(request); !reason.empty()) return failure(reason);
  const auto started = Clock::now();
  const auto first = read_records(request.first);
  if (!first) return std::unexpected(first.error());
  auto last = read_records(request.last);
  if (!last) return std::unexpected(last.error());
  for (FlowRecord& record : *last)
    for (Timestamp* time : {&record.first, &record.last})
      *time = timestamp_from_ns(difference_ns(to_ns(*time), to_ns(request.clock_offset)));

  CnfOptions cnf = request.estimates.cnf;
  cnf.estimator = *request.method->joins_records;
  OnewayReport report;
  report.request = &request;
  report.points = {point_of(request.first, *first), point_of(request.last, *last)};
  report.result = cnf_result(*first, *last, request.options, cnf);
  if (report.result.flows.empty()) return failure(diagnose_records(request, *first, *last));
  Distribution delays;
  for (const FlowDelay& flow : report.result.flows)
    delays.add(Duration{std::llround(*flow.mean_ns)});
  report.delays = &delays;
  report.clock.offset = clock_offset(report.result.flows);
  report.elapsed = Clock::now() - started;
  add_remarks(report);
  if (auto printed = print_report(report); !printed) return std::unexpected(printed.error());
  return exit_ok;
}

Result<int> write_records(const OnewayRequest& request) {
  watch_for_interrupts();
  auto source = open_point(request, Point::first);
  if (!source) return std::unexpected(source.error());
  CnfPoint point{request.options, request.estimates.cnf.cache};
  IpLocator locator{request.options.seed};
  std::array<Packet, OnewayMethod::max_batch> packets;
  std::array<IpPacket, OnewayMethod::max_batch> found;
  for (bool end = false; !end && !interrupted();) {
    const auto filled = (*source)->next(packets);
    end = filled.end;
    point.add(
        std::span{found}.first(locator.locate(std::span{packets}.first(filled.count), found)));
  }
  point.finish();
  for (const std::string& warning : (*source)->warnings())
    fmt::print(stderr, "sojourn: warning: {}\n", warning);
  if (point.records().empty())
    return failure(fmt::format(
        "{} holds no IP packets{}", request.first,
        request.filter.empty() && request.options.sampling == 1 ? "" : " that are selected"));
  if (auto written = write_file(request.write_records, records_as_csv(point.records())); !written)
    return std::unexpected(written.error());
  return exit_ok;
}

}  // namespace sojourn
