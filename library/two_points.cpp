#include <sojourn/two_points.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>

#include "capture/files/open_point.h"
#include "capture/source_warnings.h"
#include "library/inside.h"
#include "library/oneway_words.h"
#include "library/pushed_source.h"
#include "library/seed.h"
#include "pipeline/oneway/oneway_run.h"
#include "pipeline/skipped_packets.h"

namespace sojourn::v0 {
namespace {

Flow flow_of(const FlowDelay& flow) {
  return {.source = address_of(flow.key.source),
          .destination = address_of(flow.key.destination),
          .source_port = flow.key.source_port,
          .destination_port = flow.key.destination_port,
          .protocol = flow.key.protocol,
          .packets = flow.packets,
          .mean_ns = flow.mean_ns,
          .stddev_ns = flow.stddev_ns,
          .margin_ns = flow.margin_ns,
          .min_ns = flow.min_ns,
          .max_ns = flow.max_ns,
          .lost = flow.lost,
          .backward = flow.direction == Direction::backward};
}

}  // namespace

struct TwoPoints::Run {
  Result<void> conclude() {
    measured = engine->finish();
    std::ranges::transform(measured->result.flows, std::back_inserter(flows), flow_of);
    for (const Point point : {Point::first, Point::last})
      if (const Source* const source = at(point); source != nullptr)
        std::ranges::move(all_warnings(*source, name_of(point)), std::back_inserter(warnings));
    if (measured->empty()) {
      const Note& reason = measured->result.no_result;
      return Error{reason.empty() ? "no packet was found at both points" : with_members(reason)};
    }
    std::ranges::move(remarks_on(*measured, method, options), std::back_inserter(warnings));
    return {};
  }

  static std::string name_of(Point point) {
    return point == Point::first ? "first point" : "last point";
  }
  const Source* at(Point point) const { return sources[static_cast<std::size_t>(point)].get(); }

  const DirectionResult* backward() const {
    if (!measured) return nullptr;
    const auto found = std::ranges::find(measured->result.directions, Direction::backward,
                                         &DirectionResult::direction);
    return found == measured->result.directions.end() ? nullptr : &*found;
  }

  std::unique_ptr<OnewayRun> engine;
  std::string method;
  OnewayOptions options;
  std::string filter;
  std::array<Inlet, 2> inlets;
  bool pushed = false;
  std::atomic<bool> stopped{false};
  std::array<std::unique_ptr<Source>, 2> sources{};
  std::optional<OnewayMeasurement> measured{};  ///< once the run is finished
  std::vector<Flow> flows{};
  std::vector<std::string> warnings{};
};

TwoPoints::TwoPoints(std::unique_ptr<Run> run) : run_(std::move(run)) {}
TwoPoints::TwoPoints(TwoPoints&&) noexcept = default;
TwoPoints& TwoPoints::operator=(TwoPoints&&) noexcept = default;
TwoPoints::~TwoPoints() = default;

std::vector<std::string> TwoPoints::methods() {
  std::vector<std::string> names;
  for (const MethodChoice& method : oneway_methods()) names.emplace_back(method.name);
  return names;
}

Result<TwoPoints> TwoPoints::create(const TwoPointOptions& options) {
  OnewayRunOptions engine;
  engine.method = oneway_method_named(options.method);
  if (!engine.method) return Error{"there is no method '" + options.method + "'"};
  if (!(options.sampling > 0 && options.sampling <= 1))
    return Error{"the share of packets to select must be above 0 and at most 1"};
  if (options.window_ns < 0) return Error{"the largest plausible delay must be positive"};
  engine.setup.options.sampling = options.sampling;
  if (options.window_ns != 0) engine.setup.options.window = Duration{options.window_ns};
  engine.setup.options.seed = options.seed != 0 ? options.seed : random_seed();
  engine.setup.capacity_bytes_a_second = static_cast<double>(options.capacity_bits_per_second) / 8;
  engine.correction.offset = Duration{options.clock_offset_ns};
  auto made = OnewayRun::make(engine);
  if (!made) return error_of(made.error());
  auto run = std::make_unique<Run>();
  for (Inlet& inlet : run->inlets) {
    auto opened = Inlet::open(options.filter);
    if (!opened) return error_of(opened.error());
    inlet = std::move(*opened);
  }
  run->engine = std::move(*made);
  run->method = options.method;
  run->options = engine.setup.options;
  run->filter = options.filter;
  return TwoPoints{std::move(run)};
}

Result<void> TwoPoints::read(const std::string& first, const std::string& last) {
  if (run_->measured) return Error{"this measurement is finished"};
  if (run_->pushed) return Error{"this measurement is of pushed packets already"};
  auto at_first = open_point(first, run_->filter, &run_->stopped);
  if (!at_first) return error_of(at_first.error());
  auto at_last = open_point(last, run_->filter, &run_->stopped);
  if (!at_last) return error_of(at_last.error());
  run_->sources = {std::move(*at_first), std::move(*at_last)};
  run_->engine->run(*run_->sources[0], *run_->sources[1], run_->stopped, [] {});
  return run_->conclude();
}

Result<void> TwoPoints::push(Point point, std::span<const Packet> packets) {
  if (run_->measured) return Error{"this measurement is finished"};
  if (point > Point::last) return Error{"there is no such point"};
  if (!run_->pushed)
    for (std::size_t i = 0; i < run_->sources.size(); ++i)
      run_->sources[i] = std::move(run_->inlets[i].source);
  run_->pushed = true;
  const auto index = static_cast<std::size_t>(point);
  PushedSource& pushed = *run_->inlets[index].pushed;
  pushed.offer(packets);
  while (pushed.has_packets())
    run_->engine->step(static_cast<sojourn::Point>(point), *run_->sources[index]);
  return {};
}

Result<void> TwoPoints::finish() {
  if (run_->measured) return Error{"this measurement is finished"};
  run_->engine->ended(sojourn::Point::first);
  run_->engine->ended(sojourn::Point::last);
  return run_->conclude();
}

void TwoPoints::stop() { run_->stopped.store(true, std::memory_order_relaxed); }

const std::vector<Flow>& TwoPoints::flows() const { return run_->flows; }

Distribution TwoPoints::delays() const {
  return run_->measured ? Inside::wrap(run_->measured->delays) : Distribution{};
}

std::optional<std::uint64_t> TwoPoints::sent() const {
  return run_->measured ? run_->measured->result.sent : std::nullopt;
}

std::optional<std::uint64_t> TwoPoints::lost() const {
  return run_->measured ? run_->measured->result.lost : std::nullopt;
}

Distribution TwoPoints::backward_delays() const {
  return run_->measured ? Inside::wrap(run_->measured->backward) : Distribution{};
}

std::optional<std::uint64_t> TwoPoints::backward_sent() const {
  const DirectionResult* const backward = run_->backward();
  return backward != nullptr ? backward->sent : std::nullopt;
}

std::optional<std::uint64_t> TwoPoints::backward_lost() const {
  const DirectionResult* const backward = run_->backward();
  return backward != nullptr ? backward->lost : std::nullopt;
}

std::vector<Count> TwoPoints::counters() const {
  return run_->measured ? counts_of(run_->measured->result.counters) : std::vector<Count>{};
}

std::vector<Count> TwoPoints::skipped(Point point) const {
  if (!run_->measured || point > Point::last) return {};
  const Source* const source = run_->at(point);
  return counts_of(skipped_packets(source != nullptr ? source->counters() : SourceCounters{},
                                   run_->measured->skipped[static_cast<std::size_t>(point)]));
}

std::vector<std::string> TwoPoints::warnings() const { return run_->warnings; }

}  // namespace sojourn::v0
