#include "roundtrip/tables/exact_table.h"

#include <algorithm>
#include <utility>

#include "core/choose.h"
#include "core/prefetch.h"

namespace sojourn {

ExactTable::ExactTable(const Options& options)
    : expire_ns_(to_ns(options.expire)),
      long_lived_ns_(to_ns(options.expire_long_lived)),
      limit_bytes_(options.limit_bytes) {
  resize(std::bit_ceil(std::max<std::size_t>(options.initial_slots / ways, 32)));
}

void ExactTable::resize(std::size_t lines) {
  const std::size_t before = lines_.memory_bytes();
  lines_ = HugeArray<Line>::in_use(lines);
  shift_ = 64 - std::countr_zero(lines);
  used_ = 0;
  marked_ = since_sweep_ = 0;
  peak_bytes_ = std::max(peak_bytes_, before + lines_.memory_bytes());
}

/// Ends at a line without a mark; needs_sweep() ensures that nearly all have none.
ExactTable::Slot ExactTable::find(std::uint64_t key) {
  for (std::size_t index = home(key);; index = after(index)) {
    Line& line = lines_[index];
    if (const unsigned mine = look(line, key).equal)
      return {&line, static_cast<unsigned>(std::countr_zero(mine))};
    if (!line.has_spilled()) return {};
  }
}

/// The first free or expired slot on the key's probe path.  The table is never full, so there is
/// one.
ExactTable::Slot ExactTable::make_room(std::uint64_t key, std::int64_t now_ns) {
  for (std::size_t index = home(key);; index = after(index)) {
    Line& line = lines_[index];
    for (unsigned way = 0; way < ways; ++way)
      if (const Slot slot{&line, way}; slot.is_free() || expired(slot, now_ns)) return slot;
    marked_ += !line.has_spilled();
    line.tags[0] |= spilled_bit;
  }
}

Admission ExactTable::request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
  const std::int64_t now_ns = to_ns(time);
  Slot slot = find(key);
  if (slot.line && !expired(slot, now_ns)) {
    if (flags & repeat_is_ambiguous) slot.tag() |= ambiguous_bit;
    return Admission::repeated;
  }
  if (flags & is_copy) return Admission::repeated;
  if (!slot.line) slot = make_room(key, now_ns);
  used_ += slot.is_free();
  slot.fill(waiting_tag(key, flags), now_ns);
  ++since_sweep_;
  if (!is_full_ && needs_sweep(0)) sweep(now_ns, 0);
  return Admission::stored;
}

std::optional<Match> ExactTable::response(std::uint64_t key, Timestamp time) {
  const Slot slot = find(key);
  if (!slot.line) return std::nullopt;
  const std::uint64_t tag = slot.tag();
  const std::int64_t sent_ns = slot.sent_ns(), now_ns = to_ns(time);
  slot.free();
  --used_;
  if (expired(tag, sent_ns, now_ns)) return std::nullopt;
  return Match{Duration{difference_ns(now_ns, sent_ns)}, 1.0, (tag & ambiguous_bit) != 0};
}

inline void ExactTable::apply_one(const PairEvent& event, std::uint32_t number, BatchOutcome& out) {
  Line& line = lines_[home(event.key)];
  const auto [mine, taken] = look(line, event.key);
  constexpr unsigned all = (1u << ways) - 1;
  const unsigned asks = unpredictable(event.is_request);
  const bool is_new = asks & (mine == 0) & (taken != all);
  static_assert(spilled_bit == is_copy);  // one test for both; no response has that flag
  const bool is_odd = ((line.tags[0] | event.flags) & spilled_bit) != 0;
  if ((!is_new & (asks != 0)) | is_odd) [[unlikely]]
    return apply_event(*this, event, number, out);

  const unsigned chosen = choose(asks, all ^ taken, mine) | 1u << ways;  // if there is none, any
  const auto way = static_cast<unsigned>(std::countr_zero(chosen)) % ways;
  const std::int64_t now_ns = to_ns(event.time), sent_ns = line.sent_ns[way];
  const std::uint64_t tag = line.tags[way];
  const unsigned is_answer = unpredictable(!asks & (mine != 0));
  out.add_if(is_answer & unsigned{!expired(tag, sent_ns, now_ns)},
             {number, {Duration{difference_ns(now_ns, sent_ns)}, 1.0, (tag & ambiguous_bit) != 0}});
  out.count_request_if(asks & unsigned{!(event.flags & half_of_span)}, event.kind);
  const std::uint64_t left = choose(is_answer, std::uint64_t{0}, tag);
  line.tags[way] = choose(asks, waiting_tag(event.key, event.flags), left);
  line.sent_ns[way] = static_cast<std::int64_t>(
      choose(asks, static_cast<std::uint64_t>(now_ns), static_cast<std::uint64_t>(sent_ns)));
  used_ = used_ + asks - is_answer;
}

void ExactTable::apply(std::span<const PairEvent> events, BatchOutcome& out) {
  if (!events.empty() && needs_sweep(events.size())) [[unlikely]] {
    if (!is_full_) sweep(to_ns(events.front().time), events.size());
    if (is_full_ && used_ + events.size() > lines_.size() * ways / 4 * 3) return;
  }
  since_sweep_ += events.size();
  for_each_fetched(
      events, [&](const PairEvent& event) { prefetch(event.key); },
      [&](const PairEvent& event, std::uint32_t number) { apply_one(event, number, out); });
}

void ExactTable::sweep(std::int64_t now_ns, std::size_t incoming) {
  const auto for_each_alive = [&](HugeArray<Line>& lines, auto visit) {
    for (Line& line : lines)
      for (unsigned way = 0; way < ways; ++way)
        if (const Slot slot{&line, way}; !slot.is_free() && !expired(slot, now_ns)) visit(slot);
  };
  std::size_t alive = 0;
  for_each_alive(lines_, [&](const Slot&) { ++alive; });
  std::size_t lines = lines_.size();
  while (alive + incoming > lines * ways / 6) lines *= 2;
  if (!fits(lines)) {
    while (lines > lines_.size() && !fits(lines)) lines /= 2;
    is_full_ = alive + incoming > lines * ways / 4;  // a quarter: sweeps are not too frequent
    if (is_full_) return;
  }

  HugeArray<Line> old = std::move(lines_);
  lines_ = {};
  resize(lines);
  peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + lines_.memory_bytes());
  for_each_alive(old, [&](const Slot& slot) {
    make_room(slot.tag(), now_ns).fill(slot.tag() & ~spilled_bit, slot.sent_ns());
    ++used_;
  });
}

}  // namespace sojourn
