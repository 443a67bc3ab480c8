#include "apps/rtt_table_options.h"

#include <CLI/CLI.hpp>
#include <optional>

#include "apps/option_helpers.h"
#include "core/units.h"
#include "roundtrip/tables/staged_table.h"

namespace sojourn {
namespace {

Result<std::uint64_t> parse_stages(std::string_view text) {
  return parse_count(text, 1, StagedTable::max_stages);
}

Result<TableKind> parse_table(std::string_view text) {
  if (const auto kind = table_named(text)) return *kind;
  return unknown_name(text, "table", table_names());
}

Result<std::optional<double>> parse_probability(std::string_view text) {
  if (text == "auto") return std::optional<double>{};
  const auto share = parse_share(text, {.above_low = true});
  if (!share) return failure(share.error().message + ", nor auto");
  return std::optional<double>{*share};
}

}  // namespace

void add_table_options(CLI::App& rtt, TableWishes& table) {
  add_parsed(
      rtt, "--memory", "SIZE", &parse_size,
      [&](std::uint64_t bytes) { table.memory_bytes = bytes; },
      "measure in this much memory, connections included, such as 64KiB (at\n"
      "least 4KiB): a good table is chosen. Without it -i takes 16MiB, and in\n"
      "captures every request is remembered (exact). With --table exact it is\n"
      "where to stop (default: half of the machine's memory)");
  add_parsed(
      rtt, "--table", "NAME", parse_table, [&](TableKind kind) { table.kind = kind; },
      "where requests wait: " + listed(table_names(), "or"));
  add_parsed(
      rtt, "--longest", "TIME", parse_positive_duration, [&](Duration d) { table.longest = d; },
      "the longest delay of interest, by which tables tune themselves (default 10s)");
  add_parsed(
      rtt, "--stages", "NUMBER", parse_stages,
      [&](std::uint64_t n) { table.stages = static_cast<unsigned>(n); },
      "staged: stages (default 4)");
  add_parsed(
      rtt, "--entry-probability", "P", parse_probability,
      [&](std::optional<double> p) { table.entry_probability = p; },
      "fridges: how many requests enter, 0 to 1, or auto (the default)");
}

std::string_view table_refusal(TableRefusal refusal) {
  switch (refusal) {
    case TableRefusal::exact_has_no_limit:
      return "--table exact takes the memory it needs: leave out --memory, or choose another table";
    case TableRefusal::stages_of_another_table:
      return "--stages belongs to --table staged";
    case TableRefusal::entry_of_another_table:
      return "--entry-probability belongs to the tables fridge and fridges";
    case TableRefusal::longest_of_another_table:
      return "--longest belongs to the tables fridge, fridges, leased and tailored; here --expire "
             "is the limit";
    case TableRefusal::too_little_memory:
      return "--memory must be at least 4KiB";
    case TableRefusal::too_little_memory_for_threads:
      return "--memory must be at least 4KiB for each of the threads";
    case TableRefusal::too_little_memory_for_exact:
      return "--memory must be at least 1MiB for each of the threads with --table exact";
    case TableRefusal::stages_out_of_range:  // the values themselves are refused when parsed
    case TableRefusal::entry_out_of_range:
    case TableRefusal::longest_not_positive:
      break;
  }
  return reason_of(refusal);
}

}  // namespace sojourn
