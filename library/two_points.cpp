#include <sojourn/two_points.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>

#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "library/inside.h"
#include "library/seed.h"
#include "pipeline/oneway/oneway_run.h"

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
          .lost = flow.lost};
}

sojourn::Result<std::unique_ptr<Source>> open_point(const std::string& path,
                                                    const std::string& filter) {
  auto source = open_capture(path);
  if (!source || filter.empty()) return source;
  return FilteredSource::open(std::move(*source), filter);
}

}  // namespace

struct TwoPoints::Run {
  Result<void> conclude() {
    measured = engine->finish();
    std::ranges::transform(measured->result.flows, std::back_inserter(flows), flow_of);
    if (!measured->empty()) return {};
    const std::string& reason = measured->result.no_result.text;
    return Error{reason.empty() ? "no packet was found at both points" : reason};
  }

  std::unique_ptr<OnewayRun> engine;
  std::string filter;
  std::atomic<bool> stopped{false};
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
  engine.correction.offset = Duration{options.clock_offset_ns};
  auto made = OnewayRun::make(engine);
  if (!made) return error_of(made.error());
  auto run = std::make_unique<Run>();
  run->engine = std::move(*made);
  run->filter = options.filter;
  return TwoPoints{std::move(run)};
}

Result<void> TwoPoints::read(const std::string& first, const std::string& last) {
  if (run_->measured) return Error{"this measurement is finished"};
  const auto at_first = open_point(first, run_->filter);
  if (!at_first) return error_of(at_first.error());
  const auto at_last = open_point(last, run_->filter);
  if (!at_last) return error_of(at_last.error());
  run_->engine->run(**at_first, **at_last, run_->stopped, [] {});
  for (const Source* source : {at_first->get(), at_last->get()})
    run_->warnings.insert(run_->warnings.end(), source->warnings().begin(),
                          source->warnings().end());
  return run_->conclude();
}

void TwoPoints::push(Point point, std::span<const Packet> packets) {
  std::array<sojourn::Packet, OnewayMethod::max_batch> batch;
  while (!packets.empty()) {
    const std::size_t count = std::min(packets.size(), batch.size());
    std::ranges::transform(packets.first(count), batch.begin(), packet_of);
    run_->engine->process(static_cast<sojourn::Point>(point), {batch.data(), count});
    packets = packets.subspan(count);
  }
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

std::vector<Count> TwoPoints::counters() const {
  std::vector<Count> counts;
  if (run_->measured)
    for (const auto& [name, count] : run_->measured->result.counters)
      counts.push_back({name, count});
  return counts;
}

std::vector<std::string> TwoPoints::warnings() const { return run_->warnings; }

}  // namespace sojourn::v0
