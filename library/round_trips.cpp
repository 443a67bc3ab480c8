#include <sojourn/round_trips.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <iterator>
#include <optional>

#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "core/huge_array.h"
#include "core/sample_sink.h"
#include "core/units.h"
#include "estimate/grouping.h"
#include "library/inside.h"
#include "library/seed.h"
#include "pipeline/rtt_pipeline.h"
#include "roundtrip/tables/table_choice.h"
#include "wire/skip.h"

namespace sojourn::v0 {
namespace {

sojourn::Result<TableChoice> table_of(const RoundTripOptions& options, bool live) {
  TableWishes wishes;
  if (!options.table.empty()) {
    wishes.kind = table_named(options.table);
    if (!wishes.kind) return failure("there is no table '" + options.table + "'");
  }
  if (options.memory_bytes != 0) wishes.memory_bytes = options.memory_bytes;
  set_table_defaults(wishes, live);
  wishes.threads = options.threads;
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
    for (const Kind kind : options.kinds) result.kinds.add(static_cast<sojourn::Kind>(kind));
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
      return failure("asn and country are groups of the command line only");
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
  Run(const RttOptions& engine, const TableChoice& listening, std::string packet_filter,
      Consumer consumer)
      : options(engine),
        live_table(listening),
        filter(std::move(packet_filter)),
        consume(std::move(consumer)) {
    pipeline.emplace(options, consume ? this : nullptr);
    if (groups_by_interface(options)) interfaces = options.measurement.grouping->shared_ways();
  }

  void take(std::span<const sojourn::Sample> samples) override {
    converted.clear();
    std::ranges::transform(samples, std::back_inserter(converted), sample_of);
    consume(converted);
  }

  sojourn::Result<std::unique_ptr<Source>> filtered(
      sojourn::Result<std::unique_ptr<Source>> opened) const {
    if (!opened || filter.empty()) return opened;
    return FilteredSource::open(std::move(*opened), filter);
  }

  std::uint64_t packets() const { return source ? source->counters().packets : pushed; }

  /// The figures stay, and those of the source are kept.
  void close() {
    if (!source) return;
    pushed = source->counters().packets;
    const auto lines = source->warnings();
    last_warnings.assign(lines.begin(), lines.end());
    source.reset();
    source_ended = true;
  }

  /// Before the first packet: what arrives on an interface must not decide how much memory it
  /// takes.
  void prepare_to_listen() {
    options.table = live_table;
    pipeline.emplace(options, consume ? this : nullptr);
  }

  RttOptions options;
  TableChoice live_table;
  std::string filter;
  Consumer consume;
  std::shared_ptr<NameTable> interfaces;  ///< by number, if groups want their names
  std::optional<RttPipeline> pipeline;
  std::unique_ptr<Source> source;  ///< nullptr as long as packets are pushed
  std::uint64_t pushed = 0;
  std::atomic<bool> stopped{false};
  bool source_ended = false;
  std::vector<std::string> last_warnings;  ///< of a source that was closed
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
  return RoundTrips{
      std::make_unique<Run>(*engine, *listening, options.filter, std::move(consumer))};
}

Result<void> RoundTrips::read(const std::vector<std::string>& paths) {
  if (paths.empty()) return Error{"no capture was named"};
  if (run_->source || run_->pushed > 0) return Error{"this measurement has its packets already"};
  auto source = run_->filtered(open_captures(paths, run_->interfaces));
  if (!source) return error_of(source.error());
  run_->source = std::move(*source);
  run_->pipeline->run(*run_->source, run_->stopped);
  return {};
}

Result<void> RoundTrips::listen(const std::string& interface, std::int64_t duration_ns) {
  if (!run_->source) {
    if (run_->pushed > 0 || run_->source_ended)
      return Error{"this measurement has its packets already"};
    LiveOptions options;
    options.interfaces = {interface};
    options.names = run_->interfaces;
    auto source = run_->filtered(open_interfaces(options));
    if (!source) return error_of(source.error());
    run_->source = std::move(*source);
    run_->prepare_to_listen();
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::nanoseconds{duration_ns};
  while (!run_->stopped.load(std::memory_order_relaxed) && Clock::now() < end)
    if (!run_->pipeline->step(*run_->source)) {
      run_->source_ended = true;
      break;
    }
  return {};
}

void RoundTrips::push(std::span<const Packet> packets) {
  std::array<sojourn::Packet, batch_size> batch;
  run_->pushed += packets.size();
  while (!packets.empty()) {
    const std::size_t count = std::min(packets.size(), batch.size());
    std::ranges::transform(packets.first(count), batch.begin(), packet_of);
    run_->pipeline->process({batch.data(), count});
    packets = packets.subspan(count);
  }
}

void RoundTrips::finish() { run_->pipeline->finish(); }

void RoundTrips::close() { run_->close(); }

bool RoundTrips::is_full() const { return run_->pipeline->is_full(); }

bool RoundTrips::has_ended() const {
  return run_->source_ended || run_->stopped.load(std::memory_order_relaxed) || is_full();
}

void RoundTrips::stop() { run_->stopped.store(true, std::memory_order_relaxed); }

std::uint64_t RoundTrips::packets() const { return run_->packets(); }

std::vector<Count> RoundTrips::skipped() const {
  std::vector<Count> counts;
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    if (const auto count = run_->pipeline->skipped()[static_cast<Skip>(i)]; count > 0)
      counts.push_back({std::string{skip_names[i]}, count});
  return counts;
}

std::vector<std::string> RoundTrips::warnings() const {
  std::vector<std::string> lines;
  if (is_full())
    lines.push_back("stopped after " +
                    format_count(run_->packets() - run_->pipeline->packets_beyond_limit()) +
                    " packets: what waits for an answer would take more than " +
                    format_size(limit_bytes()) + "; a table of fixed memory measures all of it");
  const auto warnings =
      run_->source ? run_->source->warnings() : std::span<const std::string>{run_->last_warnings};
  lines.insert(lines.end(), warnings.begin(), warnings.end());
  return lines;
}

std::uint64_t RoundTrips::memory_bytes() const {
  const RttPipeline::Memory memory = run_->pipeline->memory();
  return memory.table_bytes + memory.connection_bytes;
}

std::uint64_t RoundTrips::limit_bytes() const { return run_->options.table.limit_bytes; }

RequestCounts RoundTrips::requests(Kind kind) const {
  const Measurement& measurement = run_->pipeline->measurement();
  const auto inner = static_cast<sojourn::Kind>(kind);
  const KindCounters& counters = measurement.counters(inner);
  return {counters.requests, counters.ambiguous, measurement.unmatched_requests(inner)};
}

Distribution RoundTrips::distribution(Kind kind, Leg leg) const {
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
