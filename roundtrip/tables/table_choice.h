#pragma once
// Which table, how much memory, and with what parameters.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/time.h"
#include "roundtrip/patience.h"
#include "roundtrip/tables/exact_table.h"
#include "roundtrip/tables/fridges_table.h"
#include "roundtrip/tables/leased_table.h"
#include "roundtrip/tables/staged_table.h"
#include "roundtrip/tailored/tailored_table.h"

namespace sojourn {

enum class TableKind : std::uint8_t {
  exact,
  staged,
  fridge,
  fridges,
  fridges_ivw,
  leased,
  tailored
};

std::string_view name_of(TableKind kind);
std::optional<TableKind> table_named(std::string_view name);
/// In the order of TableKind.
std::span<const std::string_view> table_names();

/// Settings of the table.  Unset fields get defaults.
struct TableWishes {
  std::optional<TableKind> kind = {};
  std::optional<std::size_t> memory_bytes = {};
  std::optional<Duration> longest = {};  ///< the longest delay of interest
  std::optional<unsigned> stages = {};
  std::optional<double> entry_probability = {};
  Patience patience = {};
  unsigned threads = 1;     ///< that share the memory
  bool only_table = false;  ///< the memory is for the table only; connections take what they need
  /// exact: where to stop if no memory size is given.  Only for a front end that checks whether the
  /// run stopped (RttPipeline::is_full); with 0, exact has no limit.
  std::size_t exact_limit_bytes = 0;
};

/// Half of this machine's memory.
std::size_t default_exact_limit();
/// The memory of a live measurement that names neither table nor memory.
inline constexpr std::size_t default_live_memory = std::size_t{16} << 20;

/// The defaults of the program and of the library: a live run has fixed memory, and exact has a
/// limit.
void set_table_defaults(TableWishes& table, bool live);

struct TableChoice {
  TableKind kind = TableKind::exact;
  std::size_t memory_bytes = 0;      ///< of the table; unused by exact
  std::size_t connection_bytes = 0;  ///< for the state of connections; 0: as needed
  std::size_t limit_bytes = 0;       ///< exact: it stops before it takes more in all; 0: no limit
  Duration longest = std::chrono::seconds{10};
  unsigned stages = 4;
  unsigned fridges = 4;
  std::optional<double> entry_probability = {};  ///< without it, self-tuning
  Patience patience = {};
};

/// Why settings were refused.
enum class TableRefusal : std::uint8_t {
  exact_has_no_limit,
  stages_of_another_table,
  stages_out_of_range,
  entry_of_another_table,
  entry_out_of_range,
  longest_of_another_table,
  longest_not_positive,
  too_little_memory,
  too_little_memory_for_threads,
  too_little_memory_for_exact
};

/// One line, without the name that a front end gives to a setting.
std::string_view reason_of(TableRefusal refusal);

/// One sentence for the report: how far the numbers can be trusted.
std::string_view promise_of(const TableChoice& choice);

/// With only a memory size: tailored leases, which were the most accurate
/// (docs/design/tailored.md).  With an entry probability: fridges.  A quarter of the memory is for
/// connections.  Impossible or contradictory settings are refused.
std::expected<TableChoice, TableRefusal> choose_table(const TableWishes& wishes);

/// Calls use(Table) with the chosen table, as a value of its own type.
template <class Use>
auto with_table(const TableChoice& choice, Use use) {
  const auto fridges = [&]<FridgeWeight weighting>(unsigned count) {
    return BasicFridgesTable<weighting>{{.memory_bytes = choice.memory_bytes,
                                         .fridges = count,
                                         .longest = choice.longest,
                                         .entry_probability = choice.entry_probability,
                                         .patience = choice.patience}};
  };
  // Each in its own stack frame: together they take 140 KB of stack, and if memory is short, a
  // stack that cannot grow ends the program without a message.
  const auto alone = [&](auto make) __attribute__((noinline)) { return use(make()); };
  switch (choice.kind) {
    case TableKind::staged:
      return alone([&] {
        return StagedTable{{.memory_bytes = choice.memory_bytes,
                            .stages = choice.stages,
                            .patience = choice.patience}};
      });
    case TableKind::fridge:
      return alone([&] { return fridges.template operator()<FridgeWeight::pooled>(1); });
    case TableKind::fridges:
      return alone(
          [&] { return fridges.template operator()<FridgeWeight::pooled>(choice.fridges); });
    case TableKind::fridges_ivw:
      return alone([&] { return fridges.template operator()<FridgeWeight::own>(choice.fridges); });
    case TableKind::leased:
      return alone([&] {
        return LeasedTable{{.memory_bytes = choice.memory_bytes,
                            .lease = {.longest = choice.longest},
                            .patience = choice.patience}};
      });
    case TableKind::tailored:
      return alone([&] {
        return TailoredTable{{.memory_bytes = choice.memory_bytes,
                              .longest = choice.longest,
                              .patience = choice.patience}};
      });
    case TableKind::exact:
      break;
  }
  return alone([&] {
    return ExactTable{{.expire = choice.patience.expire,
                       .expire_long_lived = choice.patience.expire_long_lived,
                       .limit_bytes = choice.limit_bytes / 2}};  // connections: the other half
  });
}

}  // namespace sojourn
