// `sojourn oneway`: one-way delay and loss, from opening the captures to the exit status.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/oneway_companion.h"
#include "apps/oneway_csv.h"
#include "apps/oneway_diagnosis.h"
#include "apps/oneway_input.h"
#include "apps/oneway_methods.h"
#include "apps/oneway_records.h"
#include "apps/oneway_report.h"
#include "apps/output.h"
#include "apps/progress.h"
#include "core/units.h"
#include "estimate/groups.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;

Sample as_sample(const FlowKey& flow, const DelaySample& delay) {
  Sample sample;
  sample.time = delay.sent;
  sample.delay = delay.delay;
  sample.requester = flow.source;
  sample.responder = flow.destination;
  sample.requester_port = flow.source_port;
  sample.responder_port = flow.destination_port;
  return sample;
}

/// What is done with the delays of single packets.
class SampleSink {
 public:
  explicit SampleSink(const OnewayRequest& request) : request_(request) {}

  Result<void> open() {
    if (request_.samples.empty()) return {};
    auto file = CsvFile::open(request_.samples, delays_csv_header);
    if (!file) return std::unexpected(file.error());
    csv_.emplace(std::move(*file));
    return {};
  }
  void consume(const OnewayMethod& method, std::span<const DelaySample> samples) {
    delays_ns_.clear();
    for (const DelaySample& sample : samples) {
      delays_ns_.push_back(to_ns(sample.delay));
      all_.add(sample.sent, sample.delay);
      if (sample.delay >= Duration{0}) not_negative_.add(sample.sent, sample.delay);
    }
    delays.add_all(delays_ns_);
    if (!csv_ && !request_.grouping) return;
    for (const DelaySample& sample : samples) {
      const FlowKey* const flow = method.flow(sample.flow);
      if (csv_) append_delay(csv_->lines(), flow, sample);
      if (request_.grouping && flow)
        groups.add({request_.grouping->key_of(as_sample(*flow, sample))}, sample.delay, 1);
    }
    if (csv_) csv_->pass_on();
  }
  Result<void> finish() { return csv_ ? csv_->finish() : Result<void>{}; }

  /// The drift of packets that go forward.  Where some go backward, those whose sign tells; where
  /// an offset hides the sign, nobody can say.
  std::optional<ClockSkew> skew(const std::optional<ClockOffset>& offset) const {
    if (!offset) return all_.estimate();
    if (offset->low < Duration{0} && offset->high > Duration{0}) return not_negative_.estimate();
    return std::nullopt;
  }

  Distribution delays;
  Groups groups;

 private:
  const OnewayRequest& request_;
  std::optional<CsvFile> csv_;
  SkewEstimator all_, not_negative_;
  std::vector<std::int64_t> delays_ns_;
};

std::vector<std::pair<std::string, std::uint64_t>> skipped_packets(const SourceCounters& source,
                                                                   const SkipCounters& locator) {
  std::vector<std::pair<std::string, std::uint64_t>> skipped;
  const auto add = [&](std::string_view name, std::uint64_t count) {
    if (count > 0) skipped.emplace_back(name, count);
  };
  add("filtered", source.filtered);
  add("unknown-link-type", source.unknown_link);
  add("bad-blocks", source.bad_blocks);
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    add(skip_names[i], locator[static_cast<Skip>(i)]);
  return skipped;
}

/// Captures on hosts hold both directions.  Delays of the other one are negative, and not losses.
void note_directions(OnewayReport& report) {
  if (!report.clock.offset) return;
  const auto& flows = report.result.flows;
  const double limit = static_cast<double>(to_ns(report.clock.offset->low));
  const auto backward = std::ranges::count_if(
      flows, [&](const FlowDelay& flow) { return flow.mean_ns && *flow.mean_ns <= limit; });
  if (backward > 0)
    report.result.notes.push_back(fmt::format(
        "{} of {} flows go from LAST to FIRST: their delays are negative, and what they lose on "
        "the way counts as "
        "only-last. Swap the captures to measure them, or choose one direction with --filter.",
        backward, flows.size()));
}

/// What the figures themselves make doubtful.
void add_doubts(OnewayReport& report) {
  const Distribution& delays = *report.delays;
  if (delays.empty()) return;
  const auto name = [&](std::size_t point) { return report.points[point].name; };
  const bool said_already = report.request->method->compares_no_packets;  // by doubt_about
  if (!said_already && !report.clock.offset && *delays.quantile(0.95) < Duration{0})
    report.warnings.push_back(
        fmt::format("nearly all packets were at {} before they were at {} (median {}): the "
                    "captures seem to be swapped, "
                    "or LAST's clock is behind by {} or more",
                    name(1), name(0), format_duration(*delays.quantile(0.5)),
                    format_duration(-*delays.quantile(0.05))));
  const std::uint64_t fewer =
      std::min(report.points[0].input.packets, report.points[1].input.packets);
  const auto matched = std::ranges::find(report.result.counters, "matched",
                                         &std::pair<std::string, std::uint64_t>::first);
  if (matched != report.result.counters.end() && report.request->options.sampling == 1 &&
      matched->second * 2 < fewer)
    report.warnings.push_back(
        fmt::format("only {} of {} packets were found at both points: do the captures hold the "
                    "same traffic, at the same time?",
                    format_count(matched->second), format_count(fewer)));
  const auto cut = std::ranges::find(report.result.counters, "cut",
                                     &std::pair<std::string, std::uint64_t>::first);
  if (cut != report.result.counters.end() && cut->second > 0)
    report.warnings.push_back(
        fmt::format("{} packets were cut by the capture before the bytes that tell them apart; if "
                    "the two captures are cut "
                    "differently, give a smaller --payload-bytes",
                    format_count(cut->second)));
}

void add_groups(const OnewayRequest& request, const SampleSink& sink, OnewayReport& report) {
  struct Fate {
    std::uint64_t sent = 0, lost = 0;
  };
  struct Hash {
    std::size_t operator()(const GroupKey& key) const { return hash_of(key); }
  };
  std::unordered_map<GroupKey, Fate, Hash> fates;
  for (const FlowDelay& flow : report.result.flows) {
    Fate& fate = fates[request.grouping->key_of(as_sample(flow.key, {}))];
    fate.sent += flow.packets;
    fate.lost += flow.lost.value_or(0);
  }
  for (const Groups::Entry& entry : sink.groups.entries()) {
    const Fate fate = fates[entry.id.key];
    report.groups.push_back(
        {request.grouping->label(entry.id.key), entry.distribution, fate.sent, fate.lost});
  }
  report.group_count = report.groups.size();
  std::ranges::sort(report.groups, [](const GroupReport& a, const GroupReport& b) {
    return a.delays->count() != b.delays->count() ? a.delays->count() > b.delays->count()
                                                  : a.label < b.label;
  });
  report.groups.resize(std::min(report.groups.size(), request.top));
}

/// Both captures through the method.
struct Pass {
  OnewayReport report;
  std::unique_ptr<SampleSink> sink;       ///< the report points into it
  std::optional<CommonPackets> common{};  ///< where the method compared no packets
};

Result<Pass> run_through(const OnewayRequest& request, const ClockCorrection& correction) {
  auto first = open_point(request, Point::first);
  if (!first) return std::unexpected(first.error());
  auto last = open_point(request, Point::last);
  if (!last) return std::unexpected(last.error());
  auto method = request.method->make(request);
  if (!method) return std::unexpected(method.error());
  AccompaniedMethod* companion = nullptr;
  if (request.method->compares_no_packets) {
    auto accompanied = std::make_unique<AccompaniedMethod>(std::move(*method), request.options);
    companion = accompanied.get();
    method = std::move(accompanied);
  }
  Pass pass{{}, std::make_unique<SampleSink>(request), {}};
  SampleSink& sink = *pass.sink;
  if (auto opened = sink.open(); !opened) return std::unexpected(opened.error());

  const auto started = Clock::now();
  TwoPoints points{**first, **last, request.options.seed, correction};
  Progress progress;
  points.run(
      **method,
      [&](const OnewayMethod& from, std::span<const DelaySample> samples) {
        sink.consume(from, samples);
      },
      interrupted(),
      [&] {
        progress.show(std::min((*first)->progress(), (*last)->progress()),
                      (*first)->counters().packets + (*last)->counters().packets);
      });
  OnewayReport& report = pass.report;
  report.result = (*method)->finish();
  report.elapsed = Clock::now() - started;
  if (auto finished = sink.finish(); !finished) return std::unexpected(finished.error());
  report.request = &request;
  for (const Point point : {Point::first, Point::last}) {
    const Source& source = point == Point::first ? **first : **last;
    PointReport& side = report.points[index_of(point)];
    side.name = point == Point::first ? request.first : request.last;
    side.captured = source.counters().packets;
    side.input = points.input(point);
    side.skipped = skipped_packets(source.counters(), points.skipped(point));
    report.warnings.insert(report.warnings.end(), source.warnings().begin(),
                           source.warnings().end());
  }
  if (!request.method->samples_packets)
    for (const FlowDelay& flow : report.result.flows)
      if (flow.mean_ns) sink.delays.add(Duration{std::llround(*flow.mean_ns)});
  report.delays = &sink.delays;
  report.clock.offset = clock_offset(report.result.flows);
  report.clock.skew = sink.skew(report.clock.offset);
  if (companion) {
    pass.common = companion->common();
    if (std::string doubt = doubt_about(request, *pass.common); !doubt.empty())
      report.warnings.push_back(std::move(doubt));
  }
  if (interrupted()) report.warnings.emplace_back("interrupted: this is what was read until then");
  return pass;
}

Result<int> measure(const OnewayRequest& request) {
  watch_for_interrupts();
  ClockCorrection correction{.offset = request.clock_offset};
  if (request.correct_skew) {
    OnewayRequest trial = request;  // reads for the clocks alone
    trial.samples.clear();
    trial.grouping.reset();
    const auto pass = run_through(trial, correction);
    if (!pass) return std::unexpected(pass.error());
    if (pass->report.clock.skew && pass->report.clock.skew->significant())
      correction.skew = pass->report.clock.skew;
  }
  auto pass = run_through(request, correction);
  if (!pass) return std::unexpected(pass.error());
  OnewayReport& report = pass->report;
  // Sketches of different traffic still give some number; reference packets are right about LAST
  // alone.
  const bool unrelated = pass->common && pass->common->count == 0 && report.result.flows.empty();
  if ((unrelated ||
       (report.delays->empty() && !report.result.total && report.result.tables.empty())) &&
      !interrupted())
    return failure(!report.result.no_result.empty()
                       ? report.result.no_result
                       : diagnose(request, report.points[0].input, report.points[1].input));
  if (correction.skew) {
    report.clock.skew = correction.skew;
    report.clock.corrected = true;
  }
  add_remarks(report);
  if (request.grouping) add_groups(request, *pass->sink, report);
  if (auto printed = print_report(report); !printed) return std::unexpected(printed.error());
  return exit_ok;
}

}  // namespace

void add_remarks(OnewayReport& report) {
  note_directions(report);
  add_doubts(report);
}

Result<void> print_report(const OnewayReport& report) {
  const OnewayRequest& request = *report.request;
  if (!request.flows.empty())
    if (auto written = write_flows(request.flows, report.result.flows); !written) return written;
  if (!request.plot.empty())
    if (auto written = write_file(request.plot, oneway_plot(report)); !written) return written;
  const bool silent = request.flows == "-" || request.samples == "-";
  if (silent || request.json)
    for (const std::string& warning : report.warnings)
      fmt::print(stderr, "sojourn: warning: {}\n", warning);
  if (silent) return {};
  return write_file("-", request.json ? oneway_json(report) : oneway_text(report));
}

int run_oneway(const OnewayRequest& request) {
  const bool of_records = holds_records(request.first) || holds_records(request.last);
  const auto status = !request.write_records.empty() ? write_records(request)
                      : of_records                   ? measure_records(request)
                                                     : measure(request);
  if (status) return *status;
  fmt::print(stderr, "sojourn: {}\n", status.error().message);
  return exit_error;
}

}  // namespace sojourn
