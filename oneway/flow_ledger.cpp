#include "oneway/flow_ledger.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace sojourn {

void DelaySums::add(std::int64_t delay_ns) {
  if (count++ == 0) pivot_ns = min_ns = max_ns = delay_ns;
  const Wide off = static_cast<Wide>(delay_ns) - pivot_ns;
  sum += off;
  squares += off * off;
  min_ns = std::min(min_ns, delay_ns);
  max_ns = std::max(max_ns, delay_ns);
}

/// Converts the other's sums to this pivot: (x + s)^2 = x^2 + 2 s x + s^2.
void DelaySums::merge(const DelaySums& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const Wide shift = static_cast<Wide>(other.pivot_ns) - pivot_ns;
  const auto n = static_cast<Wide>(other.count);
  squares += other.squares + 2 * shift * other.sum + n * shift * shift;
  sum += other.sum + n * shift;
  count += other.count;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
}

double DelaySums::mean_ns() const {
  return static_cast<double>(pivot_ns +
                             static_cast<long double>(sum) / static_cast<long double>(count));
}

double DelaySums::stddev_ns() const {
  const auto n = static_cast<long double>(count), total = static_cast<long double>(sum);
  // The sums are exact; a long double keeps 64 bits of each, more than the delays themselves have.
  const long double variance = (static_cast<long double>(squares) - total * (total / n)) / n;
  return static_cast<double>(std::sqrt(std::max(variance, 0.0L)));
}

FlowLedger::FlowLedger(std::size_t max_flows)
    : max_flows_(max_flows), cells_(1024), shift_(64 - 10), accounts_(1), sums_(1) {}

std::uint32_t FlowLedger::number_of(const IpPacket& packet) {
  std::size_t place = home(packet.flow);
  for (;; place = (place + 1) & (cells_.size() - 1)) {
    const Cell& cell = cells_[place];
    if (cell.number == 0) break;
    if (cell.hash == packet.flow) return static_cast<std::uint32_t>(cell.number);
  }
  if (accounts_.size() > max_flows_) return shared;
  accounts_.push_back({packet.key()});
  sums_.emplace_back();
  const auto number = static_cast<std::uint32_t>(accounts_.size() - 1);
  cells_[place] = {packet.flow, number};
  if (accounts_.size() * 2 > cells_.size()) grow();
  return number;
}

void FlowLedger::grow() {
  const HugeArray<Cell> old = std::exchange(cells_, HugeArray<Cell>{cells_.size() * 2});
  --shift_;
  for (const Cell& cell : old) {
    if (cell.number == 0) continue;
    std::size_t place = home(cell.hash);
    while (cells_[place].number != 0) place = (place + 1) & (cells_.size() - 1);
    cells_[place] = cell;
  }
}

void FlowLedger::add_flow(std::uint32_t number, Direction direction,
                          std::vector<FlowDelay>& flows) const {
  const DelaySums& sums = sums_[number];
  const Account& account = accounts_[number];
  const std::uint64_t lost = account.unmatched[static_cast<std::size_t>(direction)];
  if (sums.count + lost == 0) return;
  FlowDelay flow;
  flow.key = account.key;
  flow.packets = sums.count + lost;
  flow.lost = lost;
  flow.direction = direction;
  if (sums.count > 0) {
    flow.mean_ns = sums.mean_ns();
    flow.stddev_ns = sums.stddev_ns();
    flow.min_ns = sums.min_ns;
    flow.max_ns = sums.max_ns;
  }
  flows.push_back(flow);
}

/// Forward starts at the first point, backward at the last: the unmatched packets of the point
/// where a direction starts are its losses.
void FlowLedger::book(std::uint32_t number, Direction direction, Fate& fate) const {
  const auto start = static_cast<std::size_t>(direction);
  const Account& account = accounts_[number];
  fate.flows += number != shared && sums_[number].count + account.unmatched[start] > 0;
  fate.matched += sums_[number].count;
  fate.lost += account.unmatched[start];
  fate.from_nowhere += account.unmatched[1 - start];
  fate.delays.merge(sums_[number]);
}

std::size_t FlowLedger::memory_bytes() const {
  return cells_.memory_bytes() + accounts_.capacity() * sizeof(Account) +
         sums_.capacity() * sizeof(DelaySums);
}

}  // namespace sojourn
