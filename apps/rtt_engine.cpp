#include "apps/rtt_engine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "capture/live/live_socket.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "console/this_process.h"
#include "export/kernel_refusal.h"

namespace sojourn {
namespace {

KernelRttOptions kernel_options(const RttRequest& request) {
  KernelRttOptions options;
  options.rtt = request.options;
  options.interfaces = request.interfaces;
  options.hook = request.hook;
  if (request.table.memory_bytes) options.memory_bytes = *request.table.memory_bytes;
  if (request.table.kind == TableKind::fridge) options.fridges = 1;
  if (request.table.longest)
    options.longest = *request.table.longest;
  else
    options.longest = request.table.patience.expire;
  options.entry_probability = request.table.entry_probability;
  options.most_samples = request.most_samples;
  options.histograms = request.histograms;
  return options;
}

/// What of the request the kernel cannot do; nullopt if it can do all of it.
std::optional<KernelRefusal> beyond_the_kernel(const RttRequest& request) {
  using enum KernelRefusal::What;
  if (!KernelProgram::missing().empty())
    return KernelRefusal{not_built, std::string{KernelProgram::missing()}};
  if (request.table.kind && *request.table.kind != TableKind::fridge &&
      *request.table.kind != TableKind::fridges)
    return KernelRefusal{table, std::string{name_of(*request.table.kind)}};
  if (std::ranges::count(request.interfaces, ListeningPlace::any) > 0)
    return KernelRefusal{any_interface};
  if (!request.filter.empty()) return KernelRefusal{filter};
  if (const auto& by = request.options.measurement.grouping; by && by->needs_marks())
    return KernelRefusal{grouping, by->name()};
  if (request.options.names) return KernelRefusal{names};
  if (request.options.loss) return KernelRefusal{loss};
  for (const Kind kind : {Kind::response, Kind::tls})
    if (request.options.kinds.has(kind))
      return KernelRefusal{conversation, std::string{name_of(kind)}};
  if (request.kinds_named) {
    if (request.options.kinds.has(Kind::quic)) return KernelRefusal{quic};
    if (request.options.kinds.has(Kind::flow)) return KernelRefusal{flow};
  }
  constexpr std::size_t least = std::size_t{64} << 10;
  if (request.table.memory_bytes && *request.table.memory_bytes < least)
    return KernelRefusal{little_memory};
  if (const auto options = kernel_options(request);
      options.histograms && options.memory_bytes < least_memory(options))
    return KernelRefusal{
        histograms, {}, (least_memory(options) + (std::size_t{1} << 20) - 1) >> 20};
  return std::nullopt;
}

}  // namespace

Result<LiveEngine> open_engine(const RttRequest& request, SampleSink* sink) {
  if (request.engine == Engine::socket) return LiveEngine{};
  LiveEngine engine;
  if (const auto refusal = beyond_the_kernel(request)) {
    engine.why = sentence_of(*refusal);
  } else {
    auto opened = KernelRtt::open(kernel_options(request), sink);
    if (opened) {
      engine.kernel.emplace(std::move(*opened));
      return engine;
    }
    engine.why = opened.error().message;
  }
  if (request.engine == Engine::kernel) return failure(with_capability_advice(engine.why));
  return engine;
}

EngineSummary engine_summary(const KernelRtt& run, const LiveEngine& engine) {
  EngineSummary summary;
  summary.name = "kernel";
  summary.how = run.how();
  summary.why = engine.why;
  const dp_counters counters = run.counters();
  summary.packets = counters.packets;
  summary.missed = counters.unread;
  summary.missed_what = run.has_histograms() ? Missed::samples : Missed::samples_for_a_ring;
  summary.cost_ns = run.cost_ns();
  summary.entry_probability = run.entry_probability();
  summary.asked = counters.arrivals;
  summary.turned_away = counters.turned_away;
  summary.kernel_bytes = run.kernel_bytes();
  summary.process_bytes = resident_bytes();
  return summary;
}

EngineSummary engine_summary(const Source& source, const LiveEngine& engine) {
  EngineSummary summary;
  summary.name = "socket";
  summary.how = "AF_PACKET";
  summary.why = engine.why;
  summary.packets = source.counters().packets;
  summary.missed = source.counters().kernel_drops;
  summary.missed_what = Missed::packets;
  summary.kernel_bytes = LiveOptions{}.ring_bytes;
  summary.process_bytes = resident_bytes();
  return summary;
}

}  // namespace sojourn
