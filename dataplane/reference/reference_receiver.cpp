#include "dataplane/reference/reference_receiver.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/hash.h"

#ifdef SOJOURN_WITH_KERNEL
#include <bpf/libbpf.h>
#include <reference_receive.skel.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "dataplane/kernel/reference/interpolation.h"
#include "dataplane/reference/bpf_object.h"
#include "dataplane/reference/tai_clock.h"
#endif

namespace sojourn {

rp_config make_reference_config(const ReferenceReceiverOptions& options) {
  rp_config config{};
  std::uint64_t state = options.seed;
  for (auto& sum : config.secrets.of)
    for (__u64& word : sum) word = split_mix(state);
  constexpr std::size_t bytes_a_group = 2 * (sizeof(rp_group) + RP_WAYS * sizeof(rp_key));
  config.groups = static_cast<std::uint32_t>(
      std::bit_floor(std::clamp<std::size_t>(options.memory_bytes / bytes_a_group, 1, 1u << 24)));
  if (options.capacity_bytes_a_second > 0)
    config.ns_a_byte = static_cast<std::uint64_t>(std::llround(
        0x1p20 * 1e9 / std::max(options.capacity_bytes_a_second, least_reference_capacity)));
  static_assert(RP_BYTE_BITS == 20);
  config.overhead = options.line.overhead;
  config.least_bytes = options.line.least;
  config.reference_line_bytes = options.line.of(options.reference_bytes);
  config.replay = options.replay;
  config.steps = options.steps;
  return config;
}

#ifdef SOJOURN_WITH_KERNEL

struct ReferenceReceiver::State {
  rp_config config{};
  BpfObject object;
  MappedMap shared, groups, keys, gaps, counters;
  std::uint32_t turned_at = 0;       ///< the gap that was open then
  std::int64_t resting_base_ns = 0;  ///< of the table that was turned away from

  rp_shared& both() const { return *static_cast<rp_shared*>(shared.get()); }
  std::uint32_t current() const {
    return *static_cast<volatile const std::uint32_t*>(&both().current);
  }
};

ReferenceReceiver::ReferenceReceiver(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceReceiver::ReferenceReceiver(ReferenceReceiver&&) noexcept = default;
ReferenceReceiver& ReferenceReceiver::operator=(ReferenceReceiver&&) noexcept = default;
ReferenceReceiver::~ReferenceReceiver() = default;

Result<ReferenceReceiver> ReferenceReceiver::load(const ReferenceReceiverOptions& options) {
  std::size_t size = 0;
  const void* const elf = reference_receive__elf_bytes(&size);
  auto object = BpfObject::open(elf, size);
  if (!object) return std::unexpected(object.error());
  auto state = std::make_unique<State>();
  state->object = std::move(*object);
  rp_config& config = state->config;
  config = make_reference_config(options);
  config.cpus = static_cast<std::uint32_t>(std::max(libbpf_num_possible_cpus(), 1));
  const std::size_t groups = std::size_t{2} * config.groups;
  state->object.set_entries("groups", groups);
  state->object.set_entries("keys", groups * RP_WAYS);
  state->object.set_entries("gaps", RP_GAPS);
  state->object.set_entries("counters", config.cpus);
  state->object.set_constants(&config, sizeof config);
  if (auto loaded = state->object.load(); !loaded) return std::unexpected(loaded.error());
  state->shared = state->object.memory(".bss", sizeof(rp_shared));
  state->groups = state->object.memory("groups", groups * sizeof(rp_group));
  state->keys = state->object.memory("keys", groups * RP_WAYS * sizeof(rp_key));
  state->gaps = state->object.memory("gaps", RP_GAPS * sizeof(rp_gap));
  state->counters = state->object.memory("counters", config.cpus * sizeof(rp_counters));
  for (const MappedMap* map :
       {&state->shared, &state->groups, &state->keys, &state->gaps, &state->counters})
    if (!map->get())
      return failure(std::string{"cannot map the program's memory: "} + std::strerror(errno));
  state->both().sender = options.sender ? *options.sender : RP_ANY_SENDER;
  state->both().is_sender_fixed = options.sender.has_value();
  ReferenceReceiver receiver{std::move(state)};
  if (!options.replay) receiver.follow_clock();
  return receiver;
}

int ReferenceReceiver::descriptor() const { return state_->object.program("reference_rx"); }
int ReferenceReceiver::empty_descriptor() const { return state_->object.program("empty_rx"); }

std::size_t ReferenceReceiver::memory_bytes() const {
  return std::size_t{2} * state_->config.groups * (sizeof(rp_group) + RP_WAYS * sizeof(rp_key)) +
         RP_GAPS * sizeof(rp_gap) + state_->config.cpus * sizeof(rp_counters);
}

rp_counters ReferenceReceiver::counters() const {
  // A structure of nothing but 64-bit counters.
  std::array<std::uint64_t, sizeof(rp_counters) / sizeof(std::uint64_t)> sum{};
  const auto* at = static_cast<const volatile std::uint64_t*>(state_->counters.get());
  for (std::uint32_t cpu = 0; cpu < state_->config.cpus; ++cpu)
    for (std::uint64_t& word : sum) word += *at++;
  return std::bit_cast<rp_counters>(sum);
}

void ReferenceReceiver::follow_clock() {
  *static_cast<volatile __s64*>(&state_->both().clock_offset_ns) = to_ns(tai_to_captures());
}

void ReferenceReceiver::turn() {
  state_->resting_base_ns = rp_turn(&state_->both());
  state_->turned_at = state_->current();
}

bool ReferenceReceiver::is_settled() const { return state_->current() != state_->turned_at; }

std::vector<ReferenceFlow> ReferenceReceiver::take() {
  const std::size_t groups = state_->config.groups;
  const std::size_t first = (1 - state_->both().table) * groups;
  const std::span all{static_cast<rp_group*>(state_->groups.get()), 2 * groups};
  const std::span keys{static_cast<const rp_key*>(state_->keys.get()), 2 * groups * RP_WAYS};
  const std::span gaps{static_cast<const rp_gap*>(state_->gaps.get()), std::size_t{RP_GAPS}};
  const auto resting = all.subspan(first, groups);
  auto flows = reference_flows(resting, keys.subspan(first * RP_WAYS, groups * RP_WAYS), gaps,
                               state_->resting_base_ns);
  std::ranges::fill(resting, rp_group{});
  return flows;
}

#else

struct ReferenceReceiver::State {};
ReferenceReceiver::ReferenceReceiver(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceReceiver::ReferenceReceiver(ReferenceReceiver&&) noexcept = default;
ReferenceReceiver& ReferenceReceiver::operator=(ReferenceReceiver&&) noexcept = default;
ReferenceReceiver::~ReferenceReceiver() = default;
Result<ReferenceReceiver> ReferenceReceiver::load(const ReferenceReceiverOptions&) {
  return failure(std::string{"built without the kernel engine: "} + SOJOURN_KERNEL_MISSING);
}
// Nobody can have loaded one, so these are never reached.
int ReferenceReceiver::descriptor() const { return -1; }
int ReferenceReceiver::empty_descriptor() const { return -1; }
std::size_t ReferenceReceiver::memory_bytes() const { return 0; }
rp_counters ReferenceReceiver::counters() const { return {}; }
void ReferenceReceiver::follow_clock() {}
void ReferenceReceiver::turn() {}
bool ReferenceReceiver::is_settled() const { return true; }
std::vector<ReferenceFlow> ReferenceReceiver::take() { return {}; }

#endif

}  // namespace sojourn
