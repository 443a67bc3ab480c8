#include "dataplane/selection_program.h"

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/bpf.h>
#include <select_tc.skel.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "dataplane/bpf_object.h"
#include "wire/walk.h"

namespace sojourn {

struct SelectionProgram::State {
  dp_select_config config{};
  std::unique_ptr<bpf_object, CloseObject> object;
  std::unique_ptr<ring_buffer, FreeRing> ring;
  MappedMap counters;
  int program = -1, empty = -1;
  Take* take = nullptr;
  void* take_context = nullptr;

  bpf_map* map(const char* name) const { return bpf_object__find_map_by_name(object.get(), name); }
  static int on_packet(void* context, void* data, std::size_t size) {
    auto* const state = static_cast<State*>(context);
    const auto* const head = static_cast<const dp_handed*>(data);
    if (size < sizeof *head || head->captured > size - sizeof *head) return 0;
    const std::span bytes{static_cast<const std::byte*>(data) + sizeof *head, head->captured};
    return state->take(state->take_context, *head, bytes) ? 0 : -ECANCELED;
  }
};

SelectionProgram::SelectionProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
SelectionProgram::SelectionProgram(SelectionProgram&&) noexcept = default;
SelectionProgram& SelectionProgram::operator=(SelectionProgram&&) noexcept = default;
SelectionProgram::~SelectionProgram() = default;

Result<SelectionProgram> SelectionProgram::load(const SelectionProgramOptions& options) {
  libbpf_set_print(be_silent);
  auto state = std::make_unique<State>();
  dp_select_config& config = state->config;
  config.init = options.init;
  config.max = options.max;
  config.replay = options.replay;
  config.steps = options.steps;
  config.cpus = static_cast<std::uint32_t>(std::max(libbpf_num_possible_cpus(), 1));
  for (std::uint32_t port = 0; port < 0x10000; ++port)
    if (may_be_udp_tunnel(static_cast<std::uint16_t>(port)))
      config.tunnel_ports[port / 64] |= std::uint64_t{1} << port % 64;

  std::size_t size = 0;
  const void* const elf = select_tc__elf_bytes(&size);
  state->object.reset(bpf_object__open_mem(elf, size, nullptr));
  if (!state->object) return failure("the program in this binary cannot be read");
  // Kernels before 5.11 account maps as locked memory.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_MEMLOCK, &unlimited);
  const std::size_t ring_bytes = std::bit_ceil(page_rounded(options.ring_bytes));
  bpf_map__set_max_entries(state->map("counters"), config.cpus);
  bpf_map__set_max_entries(state->map("handed"), static_cast<std::uint32_t>(ring_bytes));
  bpf_map__set_initial_value(state->map(".rodata"), &config, sizeof config);
  if (const int status = bpf_object__load(state->object.get()); status != 0)
    return std::unexpected(load_error(status, "tc"));

  const auto program = [&](const char* name) {
    return bpf_program__fd(bpf_object__find_program_by_name(state->object.get(), name));
  };
  state->program = program("select_tc");
  state->empty = program("empty_tc");
  state->counters = MappedMap{bpf_map__fd(state->map("counters")),
                              page_rounded(config.cpus * sizeof(dp_select_counters))};
  state->ring.reset(
      ring_buffer__new(bpf_map__fd(state->map("handed")), &State::on_packet, state.get(), nullptr));
  if (!state->counters.get() || !state->ring)
    return failure(std::string{"cannot map the program's memory: "} + std::strerror(errno));
  return SelectionProgram{std::move(state)};
}

int SelectionProgram::descriptor() const { return state_->program; }

dp_select_counters SelectionProgram::counters() const {
  // A structure of nothing but 64-bit counters.
  std::array<std::uint64_t, sizeof(dp_select_counters) / sizeof(std::uint64_t)> sum{};
  const auto* at = static_cast<const volatile std::uint64_t*>(state_->counters.get());
  for (std::uint32_t cpu = 0; cpu < state_->config.cpus; ++cpu)
    for (std::uint64_t& word : sum) word += *at++;
  return std::bit_cast<dp_select_counters>(sum);
}

void SelectionProgram::read(Take* take, void* context) {
  state_->take = take;
  state_->take_context = context;
  ring_buffer__consume(state_->ring.get());
}

Result<void> SelectionProgram::replay(const Packet& packet) {
  // The kernel's test run takes a page less head- and tailroom; headers come first.
  constexpr std::size_t most = 2048, least = 14;
  const std::size_t size = std::min<std::size_t>(packet.captured, most);
  if (size < least) return failure("shorter than an Ethernet header");
  __sk_buff context{};
  context.tstamp = static_cast<std::uint64_t>(to_ns(packet.time));
  bpf_test_run_opts run{};
  run.sz = sizeof run;
  run.data_in = packet.data;
  run.data_size_in = static_cast<std::uint32_t>(size);
  run.ctx_in = &context;
  run.ctx_size_in = sizeof context;
  run.repeat = 1;
  const int status = bpf_prog_test_run_opts(state_->program, &run);
  if (status != 0) return failure(std::string{"the test run failed: "} + std::strerror(-status));
  return {};
}

Result<double> SelectionProgram::time_runs(std::span<const std::byte> bytes, unsigned repeat,
                                           bool empty) {
  return time_test_runs(empty ? state_->empty : state_->program, bytes, repeat);
}

}  // namespace sojourn

#else  // its tools were missing when this was built

namespace sojourn {

struct SelectionProgram::State {};

SelectionProgram::SelectionProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
SelectionProgram::SelectionProgram(SelectionProgram&&) noexcept = default;
SelectionProgram& SelectionProgram::operator=(SelectionProgram&&) noexcept = default;
SelectionProgram::~SelectionProgram() = default;

Result<SelectionProgram> SelectionProgram::load(const SelectionProgramOptions&) {
  return failure("built without the kernel engine: " SOJOURN_KERNEL_MISSING);
}

// Nobody can have loaded one, so these are never reached.
dp_select_counters SelectionProgram::counters() const { return {}; }
int SelectionProgram::descriptor() const { return -1; }
void SelectionProgram::read(Take*, void*) {}
Result<void> SelectionProgram::replay(const Packet&) { return failure("no kernel engine"); }
Result<double> SelectionProgram::time_runs(std::span<const std::byte>, unsigned, bool) {
  return failure("no kernel engine");
}

}  // namespace sojourn

#endif
