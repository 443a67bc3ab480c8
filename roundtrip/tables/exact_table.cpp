#include "roundtrip/tables/exact_table.h"

#include <algorithm>
#include <utility>

#include "core/choose.h"
#include "core/prefetch.h"

namespace sojourn {

/// What an event does in its home line, by the slots that hold its key (bits 0 to 3), those that
/// are taken (4 to 7), and whether it is a request (8).  Read from a table, since none of it can be
/// predicted.
struct ExactTable::Choice {
  // The lowest two bits are the slot.
  static constexpr unsigned has_slot = 4;  ///< which is filled or freed; else nothing changes
  static constexpr unsigned not_here = 8;  ///< a repeat, or a request without room in this line
  static constexpr unsigned is_answer = 16;

  static constexpr std::array<std::uint8_t, 512> all() {
    std::array<std::uint8_t, 512> choices{};
    for (unsigned i = 0; i < choices.size(); ++i) {
      const unsigned mine = i % 16, room = 15 & ~(i / 16);
      const bool asks = i >= 256;
      const auto first = [](unsigned slots) {
        return static_cast<unsigned>(std::countr_zero(slots));
      };
      const unsigned choice = asks && (mine != 0 || room == 0) ? not_here
                              : asks                           ? first(room) | has_slot
                              : mine != 0                      ? first(mine) | has_slot | is_answer
                                                               : 0;
      choices[i] = static_cast<std::uint8_t>(choice);
    }
    return choices;
  }
};
constexpr std::array<std::uint8_t, 512> ExactTable::choices = Choice::all();

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

/// A new request that finds room in its home line, a response to a request there, or to none. False
/// if it is anything else; then nothing was done.
inline bool ExactTable::apply_quickly(Line& line, const PairEvent& event, BatchOutcome& out,
                                      std::size_t& used) const {
  const auto [mine, taken] = look(line, event.key);
  const unsigned asks = event.is_request;
  const unsigned choice = choices[mine | taken << ways | asks << 2 * ways];
  static_assert(spilled_bit == is_copy && is_copy == Choice::not_here);  // no response is a copy
  if ((line.tags[0] | event.flags | choice) & spilled_bit) [[unlikely]]
    return false;

  const unsigned way = choice % ways, has_slot = choice / Choice::has_slot & 1u,
                 is_answer = choice / Choice::is_answer;
  const std::int64_t now_ns = to_ns(event.time), sent_ns = line.sent_ns[way];
  const std::uint64_t tag = line.tags[way];
  const std::uint64_t age =
      static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(sent_ns);
  // Long-lived ones expire later, and a clock that steps back makes an age seem huge.
  // (In one: what a free slot holds is old or not by chance.)
  if (unpredictable((is_answer != 0) & (age > static_cast<std::uint64_t>(expire_ns_)))) [[unlikely]]
    return false;

  out.add_plain_if(is_answer, event, Duration{static_cast<std::int64_t>(age)},
                   (tag & ambiguous_bit) != 0);
  out.count_request_if(asks & unsigned{!(event.flags & half_of_span)}, event.kind);
  const std::uint64_t left = waiting_tag(event.key, event.flags) & (std::uint64_t{0} - asks);
  line.tags[way] = choose(has_slot, left, tag);
  line.sent_ns[way] = static_cast<std::int64_t>(
      choose(has_slot, static_cast<std::uint64_t>(now_ns), static_cast<std::uint64_t>(sent_ns)));
  used = used + 2 * asks - has_slot;  // one more, one less or none
  return true;
}

void ExactTable::apply(std::span<const PairEvent> events, BatchOutcome& out) {
  if (!events.empty() && needs_sweep(events.size())) [[unlikely]] {
    if (!is_full_) sweep(to_ns(events.front().time), events.size());
    if (is_full_ && used_ + events.size() > lines_.size() * ways / 4 * 3) return;
  }
  since_sweep_ += events.size();
  // In registers: a write to a slot might change members, as far as the compiler knows.
  Line* lines = lines_.begin();
  int shift = shift_;
  std::size_t used = used_;
  for_each_fetched(
      events, [&](const PairEvent& event) { prefetch_to_write(&lines[event.key >> shift]); },
      [&](const PairEvent& event, std::uint32_t) {
        if (apply_quickly(lines[event.key >> shift], event, out, used)) [[likely]]
          return;
        used_ = used;
        apply_event(*this, event, out);
        lines = lines_.begin();
        shift = shift_;
        used = used_;
      });
  used_ = used;
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
