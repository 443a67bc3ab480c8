#include "roundtrip/tables/table_choice.h"

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

const Description& describe(TableKind kind) { return descriptions[static_cast<std::size_t>(kind)]; }

// With fewer than some 50 lines a rush of requests closes all of them now and then, and who comes
// then has no chance to be seen (tailored_table_test, leased_table_test).
constexpr std::size_t least_memory = 4096, least_table = 1024;
// A connection takes as much as eleven requests.  Beyond, those silent longest are forgotten.
constexpr std::size_t share_of_connections = 4;
// A fridge of fewer slots has weights that jump (FRIDGE section 3.3, "number of table entries").
constexpr std::size_t least_slots_a_fridge = 64;

}  // namespace

std::string_view name_of(TableKind kind) { return describe(kind).name; }
std::string_view promise_of(const TableChoice& choice) { return describe(choice.kind).promise; }

std::optional<TableKind> table_named(std::string_view name) {
  const auto found = std::ranges::find(descriptions, name, &Description::name);
  return found == descriptions.end() ? std::nullopt : std::optional{found->kind};
}

Result<TableChoice> choose_table(const TableWishes& wishes) {
  TableChoice choice;
  choice.kind = wishes.kind.value_or(!wishes.memory_bytes       ? TableKind::exact
                                     : wishes.entry_probability ? TableKind::fridges
                                                                : TableKind::tailored);
  const bool is_exact = choice.kind == TableKind::exact;
  const bool samples = choice.kind == TableKind::fridge || choice.kind == TableKind::fridges ||
                       choice.kind == TableKind::fridges_ivw;
  if (is_exact && wishes.memory_bytes)
    return failure(
        "--table exact takes the memory it needs: leave out --memory, or choose another table");
  if (wishes.stages && choice.kind != TableKind::staged)
    return failure("--stages belongs to --table staged");
  if (wishes.stages && (*wishes.stages < 1 || *wishes.stages > StagedTable::max_stages))
    return failure("--stages must be 1 to 8");
  if (wishes.entry_probability && !samples)
    return failure("--entry-probability belongs to the tables fridge and fridges");
  if (wishes.entry_probability &&
      !(*wishes.entry_probability > 0 && *wishes.entry_probability <= 1))
    return failure("--entry-probability must be above 0 and at most 1");
  if (wishes.longest && (is_exact || choice.kind == TableKind::staged))
    return failure(
        "--longest belongs to the tables fridge, fridges, leased and tailored; here --expire is "
        "the limit");
  if (wishes.longest && *wishes.longest <= Duration::zero())
    return failure("--longest must be above 0");
  choice.memory_bytes = wishes.memory_bytes.value_or(is_exact ? 0 : std::size_t{4} << 20);
  const unsigned threads = std::max(wishes.threads, 1u);
  if (!is_exact && choice.memory_bytes < (wishes.only_table ? least_table : least_memory) * threads)
    return failure(threads == 1 ? "--memory must be at least 4KiB"
                                : "--memory must be at least 4KiB for each of the threads");
  if (!is_exact && !wishes.only_table) {
    choice.connection_bytes = choice.memory_bytes / share_of_connections;
    choice.memory_bytes -= choice.connection_bytes;
  }

  // Beyond the expiry nothing is a pair, so there is nothing to be prepared for.
  choice.longest = wishes.longest.value_or(wishes.patience.expire);
  choice.stages = wishes.stages.value_or(choice.stages);
  choice.fridges = static_cast<unsigned>(
      std::clamp<std::size_t>(choice.memory_bytes / 16 / least_slots_a_fridge, 1, choice.fridges));
  choice.entry_probability = wishes.entry_probability;
  choice.patience = wishes.patience;
  return choice;
}

}  // namespace sojourn
