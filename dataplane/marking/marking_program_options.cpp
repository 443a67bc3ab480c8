#include "dataplane/marking/marking_program_options.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

#include "core/hash.h"
#include "core/units.h"
#include "dataplane/kernel/marking/flow_table.h"
#include "oneway/marking/marking_rules.h"
#include "oneway/marking/marking_shapes.h"

namespace sojourn {
namespace {

static_assert(MK_MOST_SHAPES == 2 * most_marking_shapes);

void put_tables(mk_config& config, const MarkingTables& tables) {
  for (std::size_t i = 0; i < tables.initiating.size(); ++i) {
    const InitiatingAction& action = tables.initiating[i];
    config.initiating[i] =
        static_cast<__u8>((action.mark & MK_MARK_BITS) | (action.reg ? MK_REGISTER : 0) |
                          (action.timestamp ? MK_TIMESTAMP : 0));
  }
  for (std::size_t i = 0; i < tables.observing.size(); ++i) {
    const ObservingAction& action = tables.observing[i];
    config.observing[i] = static_cast<__u8>((action.counter == Counter::one ? MK_COLOUR : 0) |
                                            (action.timestamp ? MK_TIMESTAMP : 0));
  }
  for (std::size_t colour = 0; colour < 2; ++colour)
    config.awaiting[colour] = tables.awaiting[colour];
}

/// Numbers of network order as they lie in a packet.
mk_bits in_packet(const MarkingBits& bits) {
  mk_bits packed{};
  for (std::size_t i = 0; i < 4; ++i)
    packed.addresses[i] = std::endian::native == std::endian::little
                              ? __builtin_bswap64(bits.addresses[i])
                              : bits.addresses[i];
  packed.rest = bits.rest;
  return packed;
}

/// Whoever does not know them cannot aim collisions.
void put_secrets(mk_config& config, std::uint64_t seed) {
  const HashKey key = HashKey::from_seed(seed);
  config.secret = static_cast<__u32>(key.secret[3] >> 32);
  std::uint64_t state = key.secret[2];
  for (auto& sum : config.secrets.of)
    for (__u64& word : sum) word = split_mix(state);
  for (mk_shape& shape : config.shape)
    for (__u64& word : shape.start) word = split_mix(state);
}

Result<void> put_flows(MarkingProgramPlan& plan, const MarkingSetup& setup) {
  const auto matches = marking_matches(setup.flows, setup.carrier);
  if (!matches) return std::unexpected(matches.error());
  const auto shapes = marking_shapes(*matches);
  if (!shapes) return std::unexpected(shapes.error());
  mk_config& config = plan.config;
  config.any_transport = 1;
  config.all_traffic = setup.flows.size() == 1;
  std::vector<MarkingShape> ordered;  // IPv4 first
  for (const bool is_ipv6 : {false, true}) {
    config.first_shape[is_ipv6] = static_cast<__u32>(ordered.size());
    std::ranges::copy_if(*shapes, std::back_inserter(ordered),
                         [&](const MarkingShape& shape) { return shape.is_ipv6 == is_ipv6; });
    config.end_shape[is_ipv6] = static_cast<__u32>(ordered.size());
  }
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    config.shape[i].mask = in_packet(ordered[i].mask);
    if (ordered[i].mask.rest != 0) config.any_transport = 0;
    if (ordered[i].mask != MarkingBits{}) config.all_traffic = 0;
  }
  std::vector<TaggedFlow> tags;
  for (const MarkingMatch& match : *matches) {
    const auto shape = std::ranges::find(ordered, MarkingShape{match.mask, match.is_ipv6});
    const mk_bits bits = in_packet(match.value);
    tags.push_back(
        {mk_tag(&bits, match.is_ipv6, &config.shape[shape - ordered.begin()], &config.secrets),
         match.flow});
  }
  if (config.all_traffic)
    plan.flows = {.places = {tags.front()}, .displacements = {0}};
  else
    plan.flows = FlowPlaces::of(tags);
  config.places = static_cast<__u32>(plan.flows.places.size());
  config.displacements = plan.flows.displacement_count();
  return {};
}

/// So many intervals that the reader may be late by seconds, as far as memory allows.
Result<void> put_memory(mk_config& config, const MarkingProgramOptions& options) {
  constexpr std::int64_t patience_ns = 4'000'000'000;
  constexpr std::uint32_t fewest = 8;
  const std::size_t a_slot = config.places * counter_bytes;
  const auto wanted = static_cast<std::uint32_t>(
      std::max<std::int64_t>(patience_ns / to_ns(options.setup.length.length()), 1));
  config.slots = std::bit_ceil(std::max(wanted, fewest));
  config.stripes = std::bit_ceil(std::max(options.cpus, 1u));
  while (config.slots * a_slot * config.stripes > options.memory_bytes && config.stripes > 1)
    config.stripes /= 2;
  while (config.slots * a_slot > options.memory_bytes && config.slots > fewest) config.slots /= 2;
  config.is_contended = config.stripes < options.cpus || options.is_realtime;
  if (config.slots * a_slot > options.memory_bytes)
    return failure("so many flows need " + format_size(config.slots * a_slot) +
                   " for their counters; the most is " + format_size(options.memory_bytes));
  return {};
}

}  // namespace

Result<MarkingProgramPlan> plan_marking(const MarkingProgramOptions& options) {
  const MarkingSetup& setup = options.setup;
  if (setup.carrier.bits() < marks_of(setup.method))
    return failure("double marking needs two bits, and " + setup.carrier.name() +
                   " has one; try dscp:1,0");
  MarkingProgramPlan plan;
  mk_config& config = plan.config;
  config.exponent = static_cast<__u32>(setup.length.exponent() + 10);
  config.role = static_cast<__u32>(options.duty);
  config.force = options.force;
  config.has_colour = measures_loss(setup.method);
  config.has_pulses = measures_delay(setup.method);
  if (setup.early_pulses && setup.method == MarkingMethod::multiplexed)
    config.latest_pulse = static_cast<__u64>(to_ns(setup.length.latest_pulse()));
  // Half of the longest interval fits into 32 bits; the unit divides what distances are rounded to.
  config.shift = static_cast<__u32>(std::max(setup.length.exponent() - 2, 0));
  config.flip = setup.reversed && measures_loss(setup.method);
  config.leave_local = options.leave_local;
  config.copies = options.copies;
  put_secrets(config, setup.seed);
  config.replay = options.replay;
  config.steps = options.steps;
  put_tables(config, marking_tables(setup.method));
  for (const bool is_ipv6 : {false, true})
    if (const auto word = setup.carrier.word(is_ipv6))
      config.place[is_ipv6] = {1, word->offset, word->first, word->second, word->field};
  const MarkingCarrier carrier =
      measures_loss(setup.method) ? setup.carrier : setup.carrier.for_delay_only();
  if (const auto option = carrier.option()) {
    config.has_option = 1;
    config.option_header = option->header;
    config.flow_id = carrier.first_flow_id();
    config.uses_flow_id = std::ranges::any_of(
        setup.flows, [](const MarkingFilter& flow) { return flow.flow_id.has_value(); });
    config.place[1] = {1, 0, option->first, option->second, 0};
  }
  if (auto done = put_flows(plan, setup); !done) return std::unexpected(done.error());
  if (auto done = put_memory(config, options); !done) return std::unexpected(done.error());
  return plan;
}

}  // namespace sojourn
