#include <sojourn/round_trips.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <optional>

#include "capture/files/open.h"
#include "capture/live/live_source.h"
#include "capture/source_warnings.h"
#include "core/huge_array.h"
#include "core/sample_sink.h"
#include "core/units.h"
#include "estimate/grouping.h"
#include "library/deadline.h"
#include "library/inside.h"
#include "library/pushed_source.h"
#include "library/seed.h"
#include "pipeline/rtt_pipeline.h"
#include "pipeline/skipped_packets.h"
#include "roundtrip/tables/table_choice.h"

namespace sojourn::v0 {
namespace {

bool is_kind(Kind kind) { return static_cast<std::size_t>(kind) < kind_count; }

sojourn::Result<TableChoice> table_of(const RoundTripOptions& options, bool live) {
  TableWishes wishes;
  if (!options.table.empty()) {
    wishes.kind = table_named(options.table);
    if (!wishes.kind) return failure("there is no table '" + options.table + "'");
  }
  if (options.memory_bytes != 0) wishes.memory_bytes = options.memory_bytes;
  set_table_defaults(wishes, live);
  wishes.threads = live ? 1 : options.threads;
  if (options.expire_ns != 0)
    wishes.patience = {Duration{options.expire_ns}, Duration{options.expire_ns}};
  const auto choice = choose_table(wishes);
  if (!choice) return failure(std::string{reason_of(choice.error())});
  // Tables end the program if they get no memory, which is not ours to end.
  if (choice->kind != TableKind::exact &&
      !can_reserve(choice->memory_bytes + choice->connection_bytes))
    return failure("cannot reserve " +
                   format_size(choice->memory_bytes + choice->connection_bytes) + " of memory");
  return *choice;
}

sojourn::Result<RttOptions> engine_options(const RoundTripOptions& options, bool want_samples) {
  RttOptions result;
  if (options.expire_ns < 0)
    return failure("the time after which a request expires must be positive");
  if (options.threads < 1 || options.threads > 64)
    return failure("the number of threads must be 1 to 64");
  result.threads = options.threads;
  const auto table = table_of(options, false);
  if (!table) return std::unexpected(table.error());
  result.table = *table;
  if (!options.kinds.empty()) {
    result.kinds = KindSet::none();
    for (const Kind kind : options.kinds) {
      if (!is_kind(kind))
        return failure("there is no kind " + std::to_string(static_cast<unsigned>(kind)));
      result.kinds.add(static_cast<sojourn::Kind>(kind));
    }
  }
  for (const std::string& text : options.inside) {
    const auto prefix = Prefix::parse(text);
    if (!prefix) return std::unexpected(prefix.error());
    result.inside.push_back(*prefix);
  }
  if (!options.group_by.empty()) {
    const auto grouping = Grouping::parse(options.group_by);
    if (!grouping) return std::unexpected(grouping.error());
    if (grouping->needs_places())
      return failure(
          "groups by asn and country need a database of places, which the library does not open");
    result.measurement.grouping = *grouping;
    if (grouping->by(Grouping::By::dns_name) && options.anonymize)
      return failure("groups by dns-name would show what anonymize hides");
    if (options.most_groups != 0) result.measurement.max_groups = options.most_groups;
    result.measurement.grouping->limit_names(result.measurement.max_groups);
  }
  result.keep_ambiguous = options.keep_ambiguous;
  result.anonymize = options.anonymize;
  result.seed = options.seed != 0 ? options.seed : random_seed();
  result.want_samples = want_samples;
  return result;
}

}  // namespace

struct RoundTrips::Run final : SampleSink {
  /// What the measurement was given packets by.
  enum class Use { nothing, captures, interface, pushed, finished };

  Run(const RttOptions& engine, const TableChoice& listening, std::string packet_filter,
      Inlet opened_inlet, Consumer consumer)
      : options(engine),
        live_table(listening),
        filter(std::move(packet_filter)),
        inlet(std::move(opened_inlet)),
        consume(std::move(consumer)) {
    pipeline.emplace(options, consume ? this : nullptr);
    if (groups_by_interface(options)) interfaces = options.measurement.grouping->shared_ways();
  }

  /// An exception of the consumer ends the program: it could not leave the other threads, and
  /// behind it a batch would be half measured.
  void take(std::span<const sojourn::Sample> samples) noexcept override {
    converted.clear();
    std::ranges::transform(samples, std::back_inserter(converted), sample_of);
    consume(converted);
  }

  Error already() const {
    switch (use) {
      case Use::captures:
        return {"this measurement is of captures already"};
      case Use::interface:
        return {"this measurement listens on " + interface + " already"};
      case Use::pushed:
        return {"this measurement is of pushed packets already"};
      case Use::nothing:
      case Use::finished:
        break;
    }
    return {"this measurement is finished"};
  }

  std::uint64_t packets() const { return counters().packets; }

  /// The source is closed; the figures stay, and so does what it said.
  void close() {
    if (!source) return;
    last_counters = source->counters();
    last_warnings = all_warnings(*source);
    source.reset();
    source_ended = true;
  }
  bool is_closed() const { return source_ended && !source; }
  const SourceCounters& counters() const { return source ? source->counters() : last_counters; }
  std::vector<std::string> source_warnings() const {
    return source ? all_warnings(*source) : last_warnings;
  }

  /// Before the first packet, if they come one batch after another: one thread does the work, and
  /// has all of the memory.
  void use_one_thread(const TableChoice& table) {
    options.table = table;
    options.threads = 1;
    pipeline.emplace(options, consume ? this : nullptr);
  }

  RttOptions options;
  TableChoice live_table;
  std::string filter;
  Inlet inlet;  ///< becomes the source if packets are pushed
  Consumer consume;
  std::shared_ptr<NameTable> interfaces;  ///< by number, if groups want their names
  std::optional<RttPipeline> pipeline;
  Use use = Use::nothing;
  std::string interface;           ///< the one that is listened on
  std::unique_ptr<Source> source;  ///< nullptr before the first packet
  std::atomic<bool> stopped{false};
  bool source_ended = false;
  SourceCounters last_counters;            ///< of a source that was closed
  std::vector<std::string> last_warnings;  ///< likewise
  std::vector<Sample> converted;
};

RoundTrips::RoundTrips(std::unique_ptr<Run> run) : run_(std::move(run)) {}
RoundTrips::RoundTrips(RoundTrips&&) noexcept = default;
RoundTrips& RoundTrips::operator=(RoundTrips&&) noexcept = default;
RoundTrips::~RoundTrips() = default;

Result<RoundTrips> RoundTrips::create(const RoundTripOptions& options, Consumer consumer) {
  const auto engine = engine_options(options, static_cast<bool>(consumer));
  if (!engine) return error_of(engine.error());
  const auto listening = table_of(options, true);
  if (!listening) return error_of(listening.error());
  auto inlet = Inlet::open(options.filter);
  if (!inlet) return error_of(inlet.error());
  return RoundTrips{std::make_unique<Run>(*engine, *listening, options.filter, std::move(*inlet),
                                          std::move(consumer))};
}

Result<void> RoundTrips::read(const std::vector<std::string>& paths) {
  if (run_->use != Run::Use::nothing) return run_->already();
  if (paths.empty()) return Error{"no capture was named"};
  auto source = filtered(open_captures(paths, run_->interfaces, &run_->stopped), run_->filter);
  if (!source && run_->stopped.load(std::memory_order_relaxed)) return {};
  if (!source) return error_of(source.error());
  run_->use = Run::Use::captures;  // seen by a consumer that asks for more
  run_->source = std::move(*source);
  run_->pipeline->run(*run_->source, run_->stopped);
  run_->use = Run::Use::finished;
  return {};
}

Result<void> RoundTrips::listen(const std::string& interface, std::int64_t duration_ns) {
  if (run_->is_closed()) return Error{"this measurement is closed"};
  if (duration_ns < 0) return Error{"the time to listen must not be negative"};
  if (run_->use == Run::Use::nothing) {
    LiveOptions options;
    options.interfaces = {interface};
    options.names = run_->interfaces;
    auto source = filtered(open_interfaces(options), run_->filter);
    if (!source) return error_of(source.error());
    run_->source = std::move(*source);
    run_->use = Run::Use::interface;
    run_->interface = interface;
    // What arrives on an interface must not decide how much memory it takes.
    run_->use_one_thread(run_->live_table);
  }
  if (run_->use != Run::Use::interface || run_->interface != interface) return run_->already();
  const auto end = deadline_after(duration_ns);
  while (!has_ended() && std::chrono::steady_clock::now() < end)
    run_->source_ended = !run_->pipeline->step(*run_->source);
  return {};
}

Result<void> RoundTrips::push(std::span<const Packet> packets) {
  if (run_->is_closed()) return Error{"this measurement is closed"};
  if (run_->use == Run::Use::nothing) {
    run_->use = Run::Use::pushed;
    run_->source = std::move(run_->inlet.source);
    if (run_->options.threads > 1) run_->use_one_thread(run_->options.table);
  }
  if (run_->use != Run::Use::pushed) return run_->already();
  run_->inlet.pushed->offer(packets);
  while (run_->inlet.pushed->has_packets()) run_->pipeline->step(*run_->source);
  return {};
}

Result<void> RoundTrips::finish() {
  if (run_->use == Run::Use::captures || run_->use == Run::Use::finished) return run_->already();
  run_->use = Run::Use::finished;
  run_->pipeline->finish();
  return {};
}

void RoundTrips::close() { run_->close(); }

bool RoundTrips::is_full() const { return run_->pipeline->is_full(); }

bool RoundTrips::has_ended() const {
  return run_->source_ended || run_->stopped.load(std::memory_order_relaxed) || is_full();
}

void RoundTrips::stop() { run_->stopped.store(true, std::memory_order_relaxed); }

std::uint64_t RoundTrips::packets() const { return run_->packets(); }

std::vector<Count> RoundTrips::skipped() const {
  return counts_of(skipped_packets(run_->counters(), run_->pipeline->skipped()));
}

std::vector<std::string> RoundTrips::warnings() const {
  std::vector<std::string> lines;
  if (is_full())
    lines.push_back("stopped after " +
                    format_count(run_->packets() - run_->pipeline->packets_beyond_limit()) +
                    " packets: what waits for an answer would take more than " +
                    format_size(limit_bytes()) + "; a table of fixed memory measures all of it");
  std::ranges::move(run_->source_warnings(), std::back_inserter(lines));
  return lines;
}

std::uint64_t RoundTrips::memory_bytes() const {
  const RttPipeline::Memory memory = run_->pipeline->memory();
  return memory.table_bytes + memory.connection_bytes;
}

std::uint64_t RoundTrips::limit_bytes() const { return run_->options.table.limit_bytes; }

RequestCounts RoundTrips::requests(Kind kind) const {
  if (!is_kind(kind)) return {};
  const Measurement& measurement = run_->pipeline->measurement();
  const auto inner = static_cast<sojourn::Kind>(kind);
  const KindCounters& counters = measurement.counters(inner);
  return {counters.requests, counters.ambiguous, measurement.unmatched_requests(inner)};
}

Distribution RoundTrips::distribution(Kind kind, Leg leg) const {
  if (!is_kind(kind) || leg > Leg::headline) return {};
  const Measurement& measurement = run_->pipeline->measurement();
  const auto inner = static_cast<sojourn::Kind>(kind);
  return Inside::wrap(leg == Leg::headline
                          ? measurement.pooled(inner)
                          : measurement.leg(inner, static_cast<sojourn::Leg>(leg)));
}

std::vector<Group> RoundTrips::groups(std::size_t most) const {
  std::vector<Group> groups;
  for (const Measurement::Group& group : run_->pipeline->measurement().largest_groups(most))
    groups.push_back({group.label, static_cast<Kind>(group.kind), static_cast<Leg>(group.leg),
                      Inside::wrap(*group.distribution)});
  return groups;
}

}  // namespace sojourn::v0
