#include "dataplane/kernel_program.h"

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <rtt_tc.skel.h>
#include <rtt_xdp.skel.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "capture/unique_fd.h"
#include "dataplane/bpf_object.h"
#include "dataplane/weight_factors.h"

namespace sojourn {
namespace {

/// A map for each part of the table; the map of maps holds them.
bool fill_parts(int maps, std::uint32_t parts, std::uint32_t bytes) {
  for (std::uint32_t part = 0; part < parts; ++part) {
    const UniqueFd map{bpf_map_create(BPF_MAP_TYPE_ARRAY, "part_of_slots", sizeof(std::uint32_t),
                                      bytes, 1, nullptr)};
    const int descriptor = map.get();
    if (!map || bpf_map_update_elem(maps, &part, &descriptor, BPF_ANY) != 0) return false;
  }
  return true;
}

}  // namespace

struct KernelProgram::State {
  Hook hook{};
  dp_config config{};
  std::unique_ptr<bpf_object, CloseObject> object;
  std::unique_ptr<ring_buffer, FreeRing> ring;
  MappedMap control, counters, bins, cells, marks;
  std::size_t cpus = 1, ring_bytes = 0;
  int program = -1, empty = -1;
  Take* take = nullptr;
  void* take_context = nullptr;

  bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object.get(), name); }
  static int on_sample(void* context, void* data, std::size_t size) {
    auto* const state = static_cast<State*>(context);
    if (size == sizeof(dp_sample))
      state->take(state->take_context, *static_cast<const dp_sample*>(data));
    return 0;
  }
};

KernelProgram::KernelProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelProgram::KernelProgram(KernelProgram&&) noexcept = default;
KernelProgram& KernelProgram::operator=(KernelProgram&&) noexcept = default;
KernelProgram::~KernelProgram() = default;

std::string_view KernelProgram::missing() { return {}; }

Result<KernelProgram> KernelProgram::load(const DataplaneOptions& options, Hook hook) {
  libbpf_set_print(be_silent);
  auto state = std::make_unique<State>();
  state->hook = hook;
  state->config = make_config(options);
  state->cpus = static_cast<std::size_t>(std::max(libbpf_num_possible_cpus(), 1));
  state->config.cpus = static_cast<std::uint32_t>(state->cpus);

  std::size_t size = 0;
  const void* const elf = hook == Hook::tc ? rtt_tc__elf_bytes(&size) : rtt_xdp__elf_bytes(&size);
  state->object.reset(bpf_object__open_mem(elf, size, nullptr));
  if (!state->object) return failure("the program in this binary cannot be read");

  // Kernels before 5.11 account maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_MEMLOCK, &unlimited);

  state->ring_bytes = std::bit_ceil(page_rounded(options.ring_bytes));
  const std::uint32_t parts = state->config.fridges * state->config.shards;
  const auto bytes_a_part = static_cast<std::uint32_t>(part_bytes(state->config));
  bpf_map__set_max_entries(state->map("slots"), parts);
  bpf_map__set_value_size(bpf_map__inner_map(state->map("slots")), bytes_a_part);
  bpf_map__set_max_entries(state->map("shards"), state->config.shards);
  bpf_map__set_max_entries(state->map("connections"), state->config.buckets);
  bpf_map__set_max_entries(state->map("super_packets"), std::max(state->config.super_buckets, 1u));
  bpf_map__set_max_entries(state->map("asked"), std::max(state->config.asked_lines, 1u));
  bpf_map__set_max_entries(state->map("counters"), state->config.cpus);
  const auto histograms = static_cast<std::uint32_t>(histogram_count(state->config));
  const std::uint32_t bins = histograms * state->config.bins, cells = bins / DP_BINS_A_CELL;
  bpf_map__set_max_entries(state->map("bins"), std::max(bins, 1u));
  bpf_map__set_max_entries(state->map("cells"), std::max(cells, 1u));
  bpf_map__set_max_entries(state->map("marks"), std::max(histograms, 1u));
  bpf_map__set_max_entries(state->map("samples"), static_cast<std::uint32_t>(state->ring_bytes));
  bpf_map__set_initial_value(state->map(".rodata"), &state->config, sizeof state->config);
  if (const int status = bpf_object__load(state->object.get()); status != 0)
    return std::unexpected(load_error(status, hook == Hook::tc ? "tc" : "XDP"));

  if (!fill_parts(bpf_map__fd(state->map("slots")), parts, bytes_a_part))
    return failure(std::string{"cannot have memory for the table: "} + std::strerror(errno));

  const auto program = [&](const char* name) {
    return bpf_program__fd(bpf_object__find_program_by_name(state->object.get(), name));
  };
  state->program = program(hook == Hook::tc ? "rtt_tc" : "rtt_xdp");
  state->empty = program(hook == Hook::tc ? "empty_tc" : "empty_xdp");
  state->control = MappedMap{bpf_map__fd(state->map(".bss")), page_rounded(sizeof(dp_control))};
  state->counters = MappedMap{bpf_map__fd(state->map("counters")),
                              page_rounded(state->cpus * sizeof(dp_counters))};
  state->bins = MappedMap{bpf_map__fd(state->map("bins")), page_rounded(bins * sizeof(dp_bin))};
  state->cells = MappedMap{bpf_map__fd(state->map("cells")), page_rounded(cells * sizeof(dp_cell))};
  state->marks =
      MappedMap{bpf_map__fd(state->map("marks")), page_rounded(histograms * sizeof(dp_marks))};
  state->ring.reset(ring_buffer__new(bpf_map__fd(state->map("samples")), &State::on_sample,
                                     state.get(), nullptr));
  const std::uint32_t first = 0;
  const dp_services services = known_services();
  const dp_factors factors = weight_factors(state->config);
  if (bpf_map_update_elem(bpf_map__fd(state->map("services")), &first, &services, BPF_ANY) != 0 ||
      bpf_map_update_elem(bpf_map__fd(state->map("factors")), &first, &factors, BPF_ANY) != 0)
    return failure(std::string{"cannot write the program's memory: "} + std::strerror(errno));
  if (!state->control.get() || !state->counters.get() || !state->ring ||
      (histograms > 0 && (!state->bins.get() || !state->cells.get() || !state->marks.get())))
    return failure(std::string{"cannot map the program's memory: "} + std::strerror(errno));
  KernelProgram loaded{std::move(state)};
  loaded.control().look_below = loaded.control().enter_below = std::uint64_t{1} << 32;
  return loaded;
}

const dp_config& KernelProgram::config() const { return state_->config; }
dp_control& KernelProgram::control() { return *static_cast<dp_control*>(state_->control.get()); }
int KernelProgram::descriptor() const { return state_->program; }

dp_counters KernelProgram::counters() const {
  // A structure of nothing but 64-bit counters.
  constexpr std::size_t words = sizeof(dp_counters) / sizeof(std::uint64_t);
  std::array<std::uint64_t, words> sum{};
  const auto* at = static_cast<const volatile std::uint64_t*>(state_->counters.get());
  for (std::size_t cpu = 0; cpu < state_->cpus; ++cpu)
    for (std::uint64_t& word : sum) word += *at++;
  return std::bit_cast<dp_counters>(sum);
}

std::size_t KernelProgram::memory_bytes() const {
  return program_bytes(config(), state_->ring_bytes, state_->cpus);
}

DataplaneHistograms KernelProgram::histograms() const {
  const std::size_t count = histogram_count(config()), bins = count * config().bins;
  return {{static_cast<const dp_bin*>(state_->bins.get()), bins},
          {static_cast<const dp_cell*>(state_->cells.get()), bins / DP_BINS_A_CELL},
          {static_cast<const dp_marks*>(state_->marks.get()), count}};
}

std::size_t KernelProgram::read(Take* take, void* context) {
  state_->take = take;
  state_->take_context = context;
  const int read = ring_buffer__consume(state_->ring.get());
  return read > 0 ? static_cast<std::size_t>(read) : 0;
}

KernelProgram::Cost KernelProgram::cost() const {
  bpf_prog_info info{};
  std::uint32_t size = sizeof info;
  if (bpf_obj_get_info_by_fd(state_->program, &info, &size) != 0) return {};
  return {info.run_cnt, info.run_time_ns};
}

Result<void> KernelProgram::replay(const Packet& packet) {
  // The kernel's test run takes a page less head- and tailroom; headers come first.
  constexpr std::size_t most = 2048, least = 14;
  const std::size_t size = std::min<std::size_t>(packet.captured, most);
  if (size < least) return failure("shorter than an Ethernet header");
  const auto time = static_cast<std::uint64_t>(to_ns(packet.time));
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.data_size_in = static_cast<std::uint32_t>(size);
  run.repeat = 1;
  int status = 0;
  if (state_->hook == Hook::tc) {
    __sk_buff context{};
    context.tstamp = time;
    run.data_in = packet.data;
    run.ctx_in = &context;
    run.ctx_size_in = sizeof context;
    status = bpf_prog_test_run_opts(state_->program, &run);
  } else {
    std::array<std::byte, sizeof time + most> bytes;
    std::memcpy(bytes.data(), &time, sizeof time);
    std::memcpy(bytes.data() + sizeof time, packet.data, size);
    xdp_md context{};
    context.data = sizeof time;
    context.data_end = static_cast<std::uint32_t>(sizeof time + size);
    run.data_in = bytes.data();
    run.data_size_in = context.data_end;
    run.ctx_in = &context;
    run.ctx_size_in = sizeof context;
    status = bpf_prog_test_run_opts(state_->program, &run);
  }
  if (status != 0) return failure(std::string{"the test run failed: "} + std::strerror(-status));
  return {};
}

void KernelProgram::set_step(std::uint64_t step) {
  auto* const counters = static_cast<dp_counters*>(state_->counters.get());
  for (std::size_t cpu = 0; cpu < state_->cpus; ++cpu) counters[cpu].packets = step;
}

Result<double> KernelProgram::time_runs(std::span<const std::byte> bytes, unsigned repeat,
                                        bool empty) {
  return time_test_runs(empty ? state_->empty : state_->program, bytes, repeat);
}

}  // namespace sojourn

#endif
