#include "pipeline/kernel_rtt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <ctime>
#include <thread>
#include <utility>

#include "dataplane/kernel_sample.h"
#include "pipeline/attachment_point.h"
#include "pipeline/kernel_histograms.h"
#include "roundtrip/rules/sample_flow.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration a_nap = 5ms;            // the ring holds far more than comes in that time
constexpr Duration a_long_nap = 50ms;      // histograms wait for nobody
constexpr Duration between_looks = 100ms;  // at interfaces, rates, the coarse clock
constexpr Duration cost_measured = 1s;
constexpr std::size_t least_ring = 4096;

Timestamp now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

/// From the kernel's monotonic clock to the one that captures use.
Duration monotonic_to_real() {
  timespec monotonic{};
  ::clock_gettime(CLOCK_MONOTONIC, &monotonic);
  const Duration since_boot = std::chrono::seconds{monotonic.tv_sec} + Duration{monotonic.tv_nsec};
  return now().time_since_epoch() - since_boot;
}

/// The kernel gives memory in powers of two, so the table's part may come out larger than it was
/// meant to be.  --memory is a bound all the same: the table gets less.
void keep_within(DataplaneOptions& dataplane, std::size_t memory_bytes) {
  const auto cpus = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)));
  const std::size_t step = std::max<std::size_t>(dataplane.table_bytes / 32, 1);
  while (dataplane.table_bytes > 2 * step &&
         program_bytes(make_config(dataplane), dataplane.ring_bytes, cpus) > memory_bytes)
    dataplane.table_bytes -= step;
}

/// Super-packets, queries asked before, counters, known services, and what the kernel rounds up:
/// all that --memory has to hold too.
std::size_t beside_connections(std::size_t connection_bytes) {
  constexpr std::size_t fixed = std::size_t{64} << 10;
  return connection_bytes / 4 + std::min(fixed, connection_bytes / 2);
}

}  // namespace

DataplaneOptions dataplane_options(const KernelRttOptions& options) {
  DataplaneOptions dataplane;
  dataplane.kinds = options.rtt.kinds;
  dataplane.table_bytes = options.memory_bytes / 2 - beside_connections(options.memory_bytes / 4);
  dataplane.connection_bytes = options.memory_bytes / 4;
  dataplane.ring_bytes =
      std::max<std::size_t>(std::bit_floor(options.memory_bytes / 4), std::size_t{16} << 10);
  dataplane.fridges = options.fridges;
  dataplane.keep_ambiguous = options.rtt.keep_ambiguous;
  dataplane.expire = options.rtt.table.patience.expire;
  dataplane.full_size = options.rtt.full_size;
  dataplane.seed = options.rtt.seed;
  // A packet passes a router's interfaces one after the other: each is a point of its own.  Mirror
  // ports see one direction each and belong together.
  dataplane.apart = options.hook == Hook::tc && options.interfaces.size() > 1;
  if (options.histograms) {
    dataplane.histograms = true;
    const std::size_t taken = histogram_bytes(make_config(dataplane));
    const std::size_t rest = options.memory_bytes - std::min(options.memory_bytes, taken);
    dataplane.table_bytes = rest / 3 * 2 - beside_connections(rest / 3);
    dataplane.connection_bytes = rest / 3;
    dataplane.ring_bytes = least_ring;  // nothing comes by it
  }
  keep_within(dataplane, options.memory_bytes);
  return dataplane;
}

std::size_t least_memory(const KernelRttOptions& options) {
  return 2 * histogram_bytes(make_config(dataplane_options(options)));
}

KernelRtt::KernelRtt(const KernelRttOptions& options, KernelProgram program, SampleSink* sink)
    : options_(options.rtt),
      program_(std::move(program)),
      weight_(program_.config()),
      plan_(program_.config(), {options.longest, options.entry_probability, options.most_samples}),
      measurement_options_([&] {
        MeasurementOptions measurement = options.rtt.measurement;
        measurement.keep = Keep::histogram;
        measurement.keep_ambiguous = options.rtt.keep_ambiguous;
        measurement.weights_are_counts = true;
        return measurement;
      }()),
      measurement_(measurement_options_),
      sink_(sink),
      clock_offset_(monotonic_to_real()) {
  if (options.rtt.anonymize) anonymizer_.emplace(HashKey::from_seed(options.rtt.seed));
}

Result<KernelRtt> KernelRtt::open(const KernelRttOptions& options, SampleSink* sink) {
  std::vector<AttachmentPoint> points;
  for (const std::string& name : options.interfaces) {
    auto point = find_attachment_point(name);
    if (!point) return std::unexpected(point.error());
    points.push_back(*point);
  }
  auto program = KernelProgram::load(dataplane_options(options), options.hook);
  if (!program) return std::unexpected(program.error());
  KernelRtt run{options, std::move(*program), sink};
  run.plan_.update(0, 0, now(), run.program_.control());
  set_clocks(run.program_.control(), now());
  run.run_time_ = measure_run_time();
  for (const AttachmentPoint& point : points) {
    auto attached = Attachment::attach(run.program_, point, options.hook);
    if (!attached) return std::unexpected(attached.error());
    run.attachments_.push_back(std::move(*attached));
  }
  return run;
}

bool KernelRtt::step(bool may_nap) {
  auto use = [this](const dp_sample& found) { take(found); };
  const std::size_t taken = program_.read(use);
  if (!found_.empty()) sink_->take(found_);
  found_.clear();
  const Timestamp time = now();
  if (!started_) started_ = time;
  if (!looked_ || time - *looked_ >= between_looks || time < *looked_) look_after(time);
  if (taken == 0 && may_nap) std::this_thread::sleep_for(has_histograms() ? a_long_nap : a_nap);
  return !gone_;
}

void KernelRtt::run(const std::atomic<bool>& stop, const GoOn& go_on) {
  loop_live(stop, go_on, [this] { return step(); });
}

void KernelRtt::look_after(Timestamp time) {
  looked_ = time;
  clock_offset_ = monotonic_to_real();
  time_span_.merge({started_, time});
  const dp_counters counters = program_.counters();
  plan_.update(counters.arrivals, counters.samples, time, program_.control());
  set_clocks(program_.control(), time);
  if (run_time_ && time - *started_ > cost_measured) run_time_ = UniqueFd{};
  std::erase_if(attachments_, [&](const Attachment& attachment) {
    if (!attachment.is_gone()) return false;
    warnings_.push_back(attachment.point().interface + ": the interface is gone");
    return true;
  });
  gone_ = attachments_.empty();
}

void KernelRtt::take(const dp_sample& found) {
  const auto weight = weight_.of(found);
  if (!weight) {
    ++too_old_;
    return;
  }
  Sample sample = describe(found, *weight, clock_offset_);
  if (is_ambiguous(found)) {
    if (sample.kind != Kind::handshake || sample.leg == Leg::sum)
      add_ambiguous(sample.kind, *weight);
    if (!options_.keep_ambiguous) return;
  }
  if (!options_.inside.empty() && sample.leg != Leg::sum) {
    const bool leaves = is_inside(sample.requester, options_.inside) &&
                        !is_inside(sample.responder, options_.inside);
    sample.leg = leaves ? Leg::external : Leg::internal;
  }
  sample.flow = flow_of(sample);
  if (anonymizer_) {
    sample.requester = anonymizer_->apply(sample.requester);
    sample.responder = anonymizer_->apply(sample.responder);
  }
  measurement_.counters(sample.kind).guessed_legs +=
      (found.flags & DP_LEG_IS_GUESSED) != 0 && options_.inside.empty();
  measurement_.add(sample);
  if (sink_) found_.push_back(sample);
}

/// What they stand for is rounded as a whole: each by itself would be off by up to a half.
void KernelRtt::add_ambiguous(Kind kind, double weight) {
  KindCounters& counters = measurement_.counters(kind);
  counters.estimated_ambiguous += weight;
  counters.ambiguous = static_cast<std::uint64_t>(std::llround(counters.estimated_ambiguous));
}

const Measurement& KernelRtt::measurement() {
  const dp_counters counters = program_.counters();
  if (has_histograms()) {
    put_histograms(program_.histograms(), program_.config(), measurement_);
    for (std::size_t i = 0; i < paired_kind_count; ++i) {
      KindCounters& counted = measurement_.counters(static_cast<Kind>(i));
      counted.ambiguous = 0;
      counted.estimated_ambiguous = 0;
      add_ambiguous(static_cast<Kind>(i),
                    static_cast<double>(counters.ambiguous[i]) / DP_WEIGHT_ONE);
      counted.guessed_legs = counters.guessed[i];
    }
  }
  put_requests(counters);
  return measurement_;
}

/// Of the interval, if there are such.
void KernelRtt::put_requests(const dp_counters& counters) {
  for (std::size_t i = 0; i < paired_kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    measurement_.counters(kind).requests =
        (counters.asked[i] - taken_.asked[i]) - (counters.repeated[i] - taken_.repeated[i]);
  }
  KindCounters& tcp = measurement_.counters(Kind::tcp);
  tcp.super_packets = counters.super_packets - taken_.super_packets;
  tcp.super_packets_left_out = counters.super_packets_left_out - taken_.super_packets_left_out;
}

Measurement KernelRtt::take_interval() {
  assert(!has_histograms());
  const dp_counters counters = program_.counters();
  put_requests(counters);
  taken_ = counters;
  return std::exchange(measurement_, Measurement{measurement_options_});
}

SkipCounters KernelRtt::skipped() const {
  const dp_counters counters = program_.counters();
  SkipCounters skipped;
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    skipped[static_cast<Skip>(i)] = counters.skipped[i];
  return skipped;
}

std::string KernelRtt::how() const {
  return (attachments_.empty() ? "detached" : attachments_.front().how()) +
         (has_histograms() ? ", histograms" : "");
}

std::vector<std::pair<std::string, std::uint64_t>> KernelRtt::table_counters() const {
  const dp_counters counters = program_.counters();
  return {{"too-old", too_old_ + counters.too_old},
          {"ring-full", counters.unread},
          {"connections-replaced", counters.replaced}};
}

std::size_t KernelRtt::table_bytes() const { return sojourn::table_bytes(program_.config()); }
std::size_t KernelRtt::connection_bytes() const {
  return program_.config().buckets * sizeof(dp_bucket);
}

std::optional<double> KernelRtt::cost_ns() const {
  const auto [runs, time_ns] = program_.cost();
  if (runs == 0) return std::nullopt;
  return static_cast<double>(time_ns) / static_cast<double>(runs);
}

}  // namespace sojourn
