#include "roundtrip/tables/table_choice.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace sojourn {
namespace {

struct Description {
  TableKind kind;
  std::string_view name;
  std::string_view promise;
};
constexpr std::array descriptions = {
    Description{TableKind::exact, "exact",
                "Every pair was counted; memory grew with the requests that waited."},
    Description{TableKind::staged, "staged",
                "Not unbiased: pairs slower than the expiry are missed, and when memory is short, "
                "so are busy times."},
    Description{
        TableKind::fridge, "fridge",
        "Unbiased estimate from a sample; the intervals say how far chance may have moved it."},
    Description{
        TableKind::fridges, "fridges",
        "Unbiased estimate from a sample; the intervals say how far chance may have moved it."},
    Description{TableKind::fridges_ivw, "fridges-ivw",
                "For comparison only: this combination underestimates where samples are few."},
    Description{TableKind::leased, "leased",
                "Unbiased estimate of all pairs up to the longest delay; the intervals say how far "
                "chance may have moved it."},
    Description{
        TableKind::tailored, "tailored",
        "Unbiased estimate; where not all requests fit, from a sample: the intervals say how "
        "far chance may have moved it."},
};

static_assert(std::ranges::is_sorted(descriptions, {}, &Description::kind) &&
              descriptions.size() == static_cast<std::size_t>(TableKind::tailored) + 1);
const Description& describe(TableKind kind) { return descriptions[static_cast<std::size_t>(kind)]; }

// With fewer than some 50 lines, a burst of requests sometimes closes all of them, and requests
// that come then have no chance to be seen (tailored_table_test, leased_table_test).
constexpr std::size_t least_memory = 4096, least_table = 1024;
// The initial size of the exact table and its connections, and some growth.
constexpr std::size_t least_exact_limit = std::size_t{1} << 20;
// A connection takes as much as eleven requests.  Beyond this, those idle longest are forgotten.
constexpr std::size_t enough_for_requests = std::size_t{768} << 10;

/// A quarter.  The benefit of more memory for a table grows with its root; a connection that is not
/// remembered loses its legs.  So beyond `enough_for_requests` connections have priority, up to a
/// half.
constexpr std::size_t bytes_of_connections(std::size_t bytes) {
  const std::size_t beyond = bytes - std::min(bytes, enough_for_requests);
  return std::max(bytes / 4, std::min(bytes / 2, beyond));
}
// A fridge with fewer slots has irregular weights (FRIDGE section 3.3, "number of table entries").
constexpr std::size_t least_slots_a_fridge = 64;

}  // namespace

std::string_view name_of(TableKind kind) { return describe(kind).name; }
std::string_view promise_of(const TableChoice& choice) { return describe(choice.kind).promise; }

std::string_view reason_of(TableRefusal refusal) {
  switch (refusal) {
    case TableRefusal::exact_has_no_limit:
      return "the exact table takes the memory it needs: set no limit, or choose another table";
    case TableRefusal::stages_of_another_table:
      return "stages belong to the table staged";
    case TableRefusal::stages_out_of_range:
      return "stages must be 1 to 8";
    case TableRefusal::entry_of_another_table:
      return "an entry probability belongs to the tables fridge and fridges";
    case TableRefusal::entry_out_of_range:
      return "the entry probability must be above 0 and at most 1";
    case TableRefusal::longest_of_another_table:
      return "the longest delay belongs to the tables fridge, fridges, leased and tailored; here "
             "the "
             "expiry is the limit";
    case TableRefusal::longest_not_positive:
      return "the longest delay must be above 0";
    case TableRefusal::too_little_memory:
      return "the memory must be at least 4KiB";
    case TableRefusal::too_little_memory_for_threads:
      return "the memory must be at least 4KiB for each of the threads";
    case TableRefusal::too_little_memory_for_exact:
      return "the limit of the exact table must be at least 1MiB for each of the threads";
  }
  return {};
}

std::size_t default_exact_limit() {
  const auto pages = std::max(::sysconf(_SC_PHYS_PAGES), 1L);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::max(static_cast<std::size_t>(pages) / 2 * page, least_exact_limit);
}

void set_table_defaults(TableWishes& table, bool live) {
  table.exact_limit_bytes = default_exact_limit();
  // Whoever sends to an interface must not decide how much memory it takes.
  if (live && !table.kind && !table.memory_bytes) table.memory_bytes = default_live_memory;
}

std::span<const std::string_view> table_names() {
  static constexpr auto names = [] {
    std::array<std::string_view, descriptions.size()> all;
    std::ranges::transform(descriptions, all.begin(), &Description::name);
    return all;
  }();
  return names;
}

std::optional<TableKind> table_named(std::string_view name) {
  const auto found = std::ranges::find(descriptions, name, &Description::name);
  return found == descriptions.end() ? std::nullopt : std::optional{found->kind};
}

std::expected<TableChoice, TableRefusal> choose_table(const TableWishes& wishes) {
  TableChoice choice;
  choice.kind = wishes.kind.value_or(!wishes.memory_bytes       ? TableKind::exact
                                     : wishes.entry_probability ? TableKind::fridges
                                                                : TableKind::tailored);
  const bool is_exact = choice.kind == TableKind::exact;
  const bool samples = choice.kind == TableKind::fridge || choice.kind == TableKind::fridges ||
                       choice.kind == TableKind::fridges_ivw;
  const auto refuse = [](TableRefusal why) { return std::unexpected(why); };
  if (is_exact && wishes.memory_bytes && wishes.exact_limit_bytes == 0)
    return refuse(TableRefusal::exact_has_no_limit);
  if (wishes.stages && choice.kind != TableKind::staged)
    return refuse(TableRefusal::stages_of_another_table);
  if (wishes.stages && (*wishes.stages < 1 || *wishes.stages > StagedTable::max_stages))
    return refuse(TableRefusal::stages_out_of_range);
  if (wishes.entry_probability && !samples) return refuse(TableRefusal::entry_of_another_table);
  if (wishes.entry_probability &&
      !(*wishes.entry_probability > 0 && *wishes.entry_probability <= 1))
    return refuse(TableRefusal::entry_out_of_range);
  if (wishes.longest && (is_exact || choice.kind == TableKind::staged))
    return refuse(TableRefusal::longest_of_another_table);
  if (wishes.longest && *wishes.longest <= Duration::zero())
    return refuse(TableRefusal::longest_not_positive);
  const unsigned threads = std::max(wishes.threads, 1u);
  if (is_exact) {
    choice.limit_bytes = wishes.memory_bytes.value_or(wishes.exact_limit_bytes);
    if (wishes.memory_bytes && choice.limit_bytes < least_exact_limit * threads)
      return refuse(TableRefusal::too_little_memory_for_exact);
  } else {
    choice.memory_bytes = wishes.memory_bytes.value_or(std::size_t{4} << 20);
  }
  if (!is_exact && choice.memory_bytes < (wishes.only_table ? least_table : least_memory) * threads)
    return refuse(threads == 1 ? TableRefusal::too_little_memory
                               : TableRefusal::too_little_memory_for_threads);
  if (!is_exact && !wishes.only_table) {
    choice.connection_bytes = bytes_of_connections(choice.memory_bytes);
    choice.memory_bytes -= choice.connection_bytes;
  }

  // Beyond the expiry there are no pairs, so no memory is needed for them.
  choice.longest = wishes.longest.value_or(wishes.patience.expire);
  choice.stages = wishes.stages.value_or(choice.stages);
  choice.fridges = static_cast<unsigned>(
      std::clamp<std::size_t>(choice.memory_bytes / 16 / least_slots_a_fridge, 1, choice.fridges));
  choice.entry_probability = wishes.entry_probability;
  choice.patience = wishes.patience;
  return choice;
}

}  // namespace sojourn
