#include "store/ledger.h"

#include <fmt/format.h>

#include <initializer_list>

namespace sojourn {
namespace {

std::string unequal(const PointLedger& ledger, Account whole,
                    std::initializer_list<Account> parts) {
  std::uint64_t sum = 0;
  for (const Account part : parts) sum += ledger[part];
  if (sum == ledger[whole]) return {};
  return fmt::format("{}: {} is {}, but its parts add up to {}", ledger.point,
                     account_names[static_cast<std::size_t>(whole)], ledger[whole], sum);
}

}  // namespace

std::string PointLedger::fault() const {
  using enum Account;
  std::string fault = unequal(*this, packets_seen, {packets_not_selected, packets_selected});
  if (fault.empty())
    fault = unequal(*this, packets_selected,
                    {packets_in_cache, packets_exported, packets_spooled, packets_discarded});
  if (fault.empty())
    fault = unequal(*this, received,
                    {repeated, without_label, joined, waiting, without_partner, ambiguous,
                     other_selection, no_room, lost_at_restart, marks, references});
  if (fault.empty()) fault = unequal(*this, joined, {stored});
  if (fault.empty()) fault = unequal(*this, cells_received, {cells_stored, cells_refused});
  return fault;
}

}  // namespace sojourn
