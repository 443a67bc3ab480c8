#include "dataplane/marking/marking_program.h"

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <marking_tc.skel.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <utility>

#include "dataplane/mapped_map.h"

namespace sojourn {
namespace {

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};

std::size_t page_rounded(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

int be_silent(enum libbpf_print_level, const char*, va_list) { return 0; }

Error load_error(int status) {
  if (status == -EPERM)  // EACCES is the verifier's
    return Error{"loading the program needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"};
  if (status == -ENOSYS) return Error{"this kernel has no BPF"};
  return Error{std::string{"the kernel refused the marking program, which needs Linux 6.1: "} +
               std::strerror(-status)};
}

/// How far the kernel's clock that knows no leap seconds is ahead of the time of day, in seconds.
std::int64_t tai_ahead() {
  timex clock{};
  ::adjtimex(&clock);
  return clock.tai;
}
constexpr std::int64_t second_ns = 1'000'000'000;

/// In the order of MarkingProgram::Timed.  All but the second are loaded for benchmarks alone, and
/// those behind it for the option.
constexpr std::array timed_programs = {"empty_tc",    "marking_tc",   "both_tc",
                                       "put_in_tc",   "take_out_tc",  "bare_in2_tc",
                                       "bare_in6_tc", "bare_out2_tc", "bare_out6_tc"};

template <class Number>
Number taken(Number& counter) {
  return std::atomic_ref<Number>{counter}.exchange(0, std::memory_order_relaxed);
}

/// Of a counter that only grows, how much since the last time.
std::uint64_t grown(__u64& counter, std::uint64_t& before) {
  const std::uint64_t now = std::atomic_ref<__u64>{counter}.load(std::memory_order_relaxed);
  return now - std::exchange(before, now);
}

/// There a program may be stopped and run again on the same CPU.
bool is_realtime_kernel() { return ::access("/sys/kernel/realtime", F_OK) == 0; }

/// 1/512 of an interval, rounded up, as user space counts it; at most half an interval can be told.
Duration rounded_distance(std::uint32_t and_one, unsigned shift, MarkingInterval length) {
  if (and_one == 0) return {};
  constexpr std::int64_t fractions = 512;
  const std::int64_t whole = to_ns(length.length());
  std::int64_t parts =
      std::min<std::int64_t>(((std::int64_t{and_one} - 1) << shift) * fractions / whole + 1, 255);
  if (parts == 255) parts = fractions / 2;
  return Duration{parts * whole / fractions};
}

}  // namespace

struct MarkingProgram::State {
  mk_config config{};
  MarkingDuty duty{};
  MarkingInterval length;
  std::int64_t tai_ahead = 0, offset_ns = 0;
  std::unique_ptr<bpf_object, CloseObject> object;
  MappedMap slots, counters, clock;
  /// Places of each flow, in its order.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  struct Seen {
    std::uint64_t packets = 0, middle = 0;
  };
  std::vector<Seen> seen;  ///< beside `slots`
  std::size_t cpus = 1;
  bool sums_whole = true;  ///< replay: the kernel knows sums of whole packets
  int program = -1, start = -1;

  bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object.get(), name); }
  int descriptor_of(const char* name) const {
    return bpf_program__fd(bpf_object__find_program_by_name(object.get(), name));
  }
  std::size_t index(std::uint32_t stripe, std::int64_t interval, std::uint32_t place) const {
    const std::size_t number = static_cast<std::uint64_t>(interval) & (config.slots - 1);
    return (stripe * config.slots + number) * config.places + place;
  }
  mk_slot& slot(std::size_t index) const { return static_cast<mk_slot*>(slots.get())[index]; }
  void name_slots(const FlowPlaces& flows);
  void take(std::int64_t interval, std::uint32_t place, mk_slot& sum);
};

/// Every slot says whose it is.
void MarkingProgram::State::name_slots(const FlowPlaces& flows) {
  const std::size_t count = std::size_t{config.slots} * config.stripes * config.places;
  seen.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const TaggedFlow& flow = flows.places[i % config.places];
    slot(i).tag = flow.tag;
    if (duty == MarkingDuty::mark) slot(i).flow = flow.flow;
  }
  for (std::uint32_t place = 0; place < config.places; ++place)
    if (flows.places[place].tag != 0) places.emplace_back(flows.places[place].flow, place);
  std::ranges::sort(places);
}

/// Adds what all CPUs have counted at a place.
void MarkingProgram::State::take(std::int64_t interval, std::uint32_t place, mk_slot& sum) {
  const bool marks = duty == MarkingDuty::mark;
  for (std::uint32_t stripe = 0; stripe < config.stripes; ++stripe) {
    const std::size_t number = index(stripe, interval, place);
    mk_slot& from = slot(number);
    sum.packets += grown(from.packets, seen[number].packets);
    if (!marks) sum.middle += grown(from.middle, seen[number].middle);
    sum.contrary += taken(from.contrary);
    sum.other += taken(from.other);
    sum.pulses += taken(from.pulses);
    sum.pulse_sum += taken(from.pulse_sum);
    if (marks) continue;
    sum.late = std::max(sum.late, taken(from.late));
    sum.early = std::max(sum.early, taken(from.early));
  }
}

MarkingProgram::MarkingProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
MarkingProgram::MarkingProgram(MarkingProgram&&) noexcept = default;
MarkingProgram& MarkingProgram::operator=(MarkingProgram&&) noexcept = default;
MarkingProgram::~MarkingProgram() = default;

Result<MarkingProgram> MarkingProgram::load(const MarkingProgramOptions& options) {
  libbpf_set_print(be_silent);
  auto state = std::make_unique<State>();
  state->cpus = static_cast<std::size_t>(std::max(libbpf_num_possible_cpus(), 1));
  MarkingProgramOptions here = options;
  here.cpus = static_cast<std::uint32_t>(state->cpus);
  here.is_realtime = is_realtime_kernel();
  std::random_device random;
  if (!options.replay) here.setup.seed = std::uint64_t{random()} << 32 | random();
  auto plan = plan_marking(here);
  if (!plan) return std::unexpected(plan.error());
  state->config = plan->config;
  state->duty = options.duty;
  state->length = options.setup.length;
  mk_config& config = state->config;
  state->tai_ahead = tai_ahead();
  state->offset_ns = to_ns(options.clock_offset) - state->tai_ahead * second_ns;
  timespec now{};
  ::clock_gettime(CLOCK_TAI, &now);
  if (!options.replay)
    config.base_ns = static_cast<std::uint64_t>(now.tv_sec * second_ns + state->offset_ns);

  std::size_t size = 0;
  const void* const elf = marking_tc__elf_bytes(&size);
  state->object.reset(bpf_object__open_mem(elf, size, nullptr));
  if (!state->object) return failure("the marking program in this binary cannot be read");
  // Kernels before 5.11 account maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
  const std::uint32_t slots = config.slots * config.stripes * config.places;
  bpf_map__set_max_entries(state->map("slots"), slots);
  bpf_map__set_max_entries(state->map("registers"),
                           static_cast<std::uint32_t>(options.setup.flows.size()));
  bpf_map__set_max_entries(state->map("displacements"), config.displacements / 4);
  bpf_map__set_max_entries(state->map("counters"), here.cpus);
  if (config.copies) bpf_map__set_max_entries(state->map("seen"), MK_SEEN);
  bpf_map__set_initial_value(state->map(".rodata"), &config, sizeof config);
  for (const char* const name : timed_programs)
    bpf_program__set_autoload(
        bpf_object__find_program_by_name(state->object.get(), name),
        name == timed_programs[1] ||
            (config.steps > 0 && (config.has_option || name == timed_programs[0])));
  if (const int status = bpf_object__load(state->object.get()); status != 0)
    return std::unexpected(load_error(status));

  const int displacements = bpf_map__fd(state->map("displacements"));
  for (std::uint32_t i = 0; i < plan->flows.displacements.size(); ++i)
    if (bpf_map_update_elem(displacements, &i, &plan->flows.displacements[i], BPF_ANY) != 0)
      return failure(std::string{"cannot write the program's memory: "} + std::strerror(errno));
  state->program = state->descriptor_of("marking_tc");
  state->start = state->descriptor_of("start_clock");
  state->slots = MappedMap{bpf_map__fd(state->map("slots")), page_rounded(slots * sizeof(mk_slot))};
  state->counters = MappedMap{bpf_map__fd(state->map("counters")),
                              page_rounded(state->cpus * sizeof(mk_counters))};
  state->clock = MappedMap{bpf_map__fd(state->map(".bss")), page_rounded(sizeof(mk_clock))};
  if (!state->slots.get() || !state->counters.get() || !state->clock.get())
    return failure(std::string{"cannot map the program's memory: "} + std::strerror(errno));
  state->name_slots(plan->flows);
  static_cast<mk_clock*>(state->clock.get())->offset_ns = state->offset_ns;
  return MarkingProgram{std::move(state)};
}

int MarkingProgram::descriptor() const { return state_->program; }

Result<void> MarkingProgram::start_clock() {
  const std::array<std::byte, 64> frame{};
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame.data(), .data_size_in = frame.size(),
              .repeat = 1);
  if (const int status = bpf_prog_test_run_opts(state_->start, &run); status != 0)
    return failure(std::string{"the program's clock did not start: "} + std::strerror(-status));
  if (run.retval != 0) return failure("the program's clock did not start: no timer");
  auto& clock = *static_cast<mk_clock*>(state_->clock.get());
  for (int tries = 0; tries < 1000; ++tries) {
    if (std::atomic_ref{clock.is_set}.load() != 0) return {};
    ::usleep(1000);
  }
  return failure("the program's clock did not start: the timer does not come");
}

Timestamp MarkingProgram::now() const {
  timespec now{};
  ::clock_gettime(CLOCK_TAI, &now);
  return timestamp_from_ns(now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec +
                           state_->offset_ns);
}

bool MarkingProgram::follow_clock() {
  const std::int64_t ahead = tai_ahead(), step = ahead - state_->tai_ahead;
  if (step == 0) return false;
  state_->tai_ahead = ahead;
  if (step == 1 || step == -1) return false;
  state_->offset_ns -= step * second_ns;
  auto& clock = *static_cast<mk_clock*>(state_->clock.get());
  std::atomic_ref{clock.offset_ns}.store(state_->offset_ns);
  return true;
}

Duration MarkingProgram::take_turn_lateness() {
  auto& clock = *static_cast<mk_clock*>(state_->clock.get());
  return Duration{static_cast<std::int64_t>(taken(clock.late_ns))};
}

std::int64_t MarkingProgram::slots() const { return state_->config.slots; }

void MarkingProgram::take(std::int64_t interval, Timestamp now, std::vector<MarkingRecord>& out) {
  const MarkingInterval length = state_->length;
  const bool marks = state_->duty == MarkingDuty::mark;
  const std::int64_t start = to_ns(length.start_of(interval));
  const auto& places = state_->places;
  for (auto at = places.begin(); at != places.end();) {
    const std::uint32_t flow = at->first;
    mk_slot sum{};
    for (; at != places.end() && at->first == flow; ++at) state_->take(interval, at->second, sum);
    if (sum.packets + sum.middle + sum.contrary + sum.other == 0) continue;
    MarkingRecord record{.flow = flow,
                         .length = length,
                         .judged_by = length,
                         .interval = interval,
                         .packets = sum.packets,
                         .pulses = static_cast<std::uint32_t>(sum.pulses),
                         .repeats = static_cast<std::uint32_t>(sum.pulses >> MK_REPEATS_SHIFT),
                         .late = rounded_distance(sum.late, state_->config.shift, length),
                         .early = rounded_distance(sum.early, state_->config.shift, length),
                         .middle = sum.middle,
                         .contrary = marks ? 0 : sum.contrary,
                         .other = sum.other,
                         .marked_before = marks ? sum.contrary : 0,
                         .read_at = now};
    if (record.pulses > 0) {
      const auto pulses = std::int64_t{record.pulses};
      const auto from_base = static_cast<std::int64_t>(sum.pulse_sum);
      const auto base = static_cast<std::int64_t>(state_->config.base_ns);
      record.pulse_time = timestamp_from_ns(start + (from_base - pulses * (start - base)) / pulses);
    }
    record.drop_far_pulses();
    out.push_back(record);
  }
}

MarkingLeftAlone MarkingProgram::left_alone() const {
  MarkingLeftAlone sum;
  const auto* at = static_cast<const volatile mk_counters*>(state_->counters.get());
  for (std::size_t cpu = 0; cpu < state_->cpus; ++cpu, ++at) {
    sum.not_ip += at->not_ip;
    sum.no_flow += at->no_flow;
    sum.no_carrier += at->no_carrier;
    sum.no_room += at->no_room;
    sum.local += at->local;
    sum.unread += at->unread;
    sum.super_pulses += at->super_pulses;
  }
  return sum;
}

std::size_t MarkingProgram::memory_bytes() const {
  const mk_config& config = state_->config;
  return std::size_t{config.slots} * config.stripes * config.places * counter_bytes +
         (config.copies ? MK_SEEN * sizeof(mk_seen) : 0) +
         state_->places.size() * 2 * sizeof(std::uint64_t) +
         config.displacements * sizeof(std::uint16_t) + state_->cpus * sizeof(mk_counters);
}

Result<std::vector<std::byte>> MarkingProgram::replay(const Packet& packet, unsigned segments) {
  // The kernel's test run takes a page less head- and tailroom; headers come first.
  constexpr std::size_t most = 2048, least = 14;
  const std::size_t size = std::min<std::size_t>(packet.captured, most);
  if (size < least) return failure("shorter than an Ethernet header");
  __sk_buff context{};
  context.tstamp = static_cast<std::uint64_t>(to_ns(packet.time));
  if (segments > 1) context.gso_segs = segments;
  std::vector<std::byte> out(size + 8);  // an option more
  // Linux 6.12 and later: as from a device that has summed up the whole packet.  The kernel
  // compares that sum afterwards with what the packet has become.
  constexpr std::uint32_t whole_sum = 1u << 2;  // BPF_F_TEST_SKB_CHECKSUM_COMPLETE
  int status = -EINVAL;
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet.data, .data_out = out.data(),
              .data_size_in = static_cast<std::uint32_t>(size),
              .data_size_out = static_cast<std::uint32_t>(out.size()), .ctx_in = &context,
              .ctx_size_in = sizeof context, .repeat = 1);
  for (run.flags = state_->sums_whole ? whole_sum : 0;; run.flags = 0) {
    status = bpf_prog_test_run_opts(state_->program, &run);
    if (status != -EINVAL || run.flags == 0) break;
    state_->sums_whole = false;  // an older kernel
  }
  if (status == -EBADMSG)
    return failure("the test run failed: the sum of the whole packet is wrong");
  if (status != 0) return failure(std::string{"the test run failed: "} + std::strerror(-status));
  if (run.retval != static_cast<std::uint32_t>(-1)) return failure("the packet is not passed on");
  out.resize(run.data_size_out);
  return out;
}

Result<double> MarkingProgram::time_runs(std::span<const std::byte> frame, unsigned repeat,
                                         Timed what) {
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame.data(),
              .data_size_in = static_cast<std::uint32_t>(frame.size()),
              .repeat = static_cast<int>(repeat));
  const char* const name = timed_programs[static_cast<std::size_t>(what)];
  const int status = bpf_prog_test_run_opts(state_->descriptor_of(name), &run);
  if (status != 0) return failure(std::string{"the test run failed: "} + std::strerror(-status));
  return static_cast<double>(run.duration);
}

}  // namespace sojourn

#endif
