#include "oneway/cnf/flow_cache.h"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "core/prefetch.h"
#include "oneway/cnf/moment.h"
#include "wire/summary.h"

namespace sojourn {

static_assert(std::is_trivially_copyable_v<FlowRecord> && sizeof(FlowRecord) <= 96);

namespace {
constexpr std::uint8_t tcp_closes = tcp_fin | tcp_rst;
}

FlowCache::FlowCache(const Options& options)
    : options_(options),
      tags_(std::max<std::size_t>(1, options.memory_bytes / (sizeof(Row) + ways * sizeof(Slot)))),
      slots_(tags_.size() * ways) {}

FlowRecord& FlowCache::record_at(std::size_t slot) {
  return *reinterpret_cast<FlowRecord*>(slots_[slot].record.data());
}

bool FlowCache::is_over(const FlowRecord& record, Timestamp now) const {
  return difference(now, record.last) > options_.inactive_timeout ||
         difference(now, record.first) > options_.active_timeout;
}

void FlowCache::begin(FlowRecord& record, const ObservedPacket& packet) {
  record = {.key = packet.key,
            .packets = 1,
            .bytes = packet.bytes,
            .first = packet.time,
            .last = packet.time,
            .first_label = packet.label,
            .last_label = packet.label,
            .tcp_flags = packet.tcp_flags};
  record.book_moment(true);
}

void FlowCache::export_record(FlowRecord& record, Expiry why, std::vector<FlowRecord>& records) {
  record.expiry = why;
  record.in_moment = 0;
  ++expired_[why];
  records.push_back(record);
}

void FlowCache::prefetch_slot(std::size_t place) const {
  const char* const slot = reinterpret_cast<const char*>(&slots_[place]);
  prefetch_to_write(slot);
  prefetch_to_write(slot + 64);
}

/// Three short loops, so that the cache misses of a batch overlap: the tags of its rows, then the
/// slots that the tags select, then the work.
void FlowCache::add(std::span<const ObservedPacket> batch, std::vector<FlowRecord>& records) {
  assert(batch.size() <= max_batch);
  if (batch.empty()) return;
  sweep(batch.front().time, records);
  for (const ObservedPacket& packet : batch) prefetch_to_read(&tags_[row_of(packet.flow)]);
  for (const ObservedPacket& packet : batch) {
    const std::size_t row = row_of(packet.flow);
    for (std::size_t way = 0; way < ways; ++way)
      if (tags_[row].tags[way] == tag_of(packet.flow)) prefetch_slot(row * ways + way);
  }
  for (const ObservedPacket& packet : batch) update(packet, records);
}

void FlowCache::update(const ObservedPacket& packet, std::vector<FlowRecord>& records) {
  const std::size_t row = row_of(packet.flow);
  for (std::size_t way = 0; way < ways; ++way) {
    std::uint32_t& tag = tags_[row].tags[way];
    if (tag != tag_of(packet.flow)) continue;
    FlowRecord& record = record_at(row * ways + way);
    if (record.key != packet.key) [[unlikely]]
      continue;
    if (is_over(record, packet.time)) [[unlikely]] {
      const bool paused = difference(packet.time, record.last) > options_.inactive_timeout;
      export_record(record, paused ? Expiry::inactive : Expiry::active, records);
      begin(record, packet);
    } else {
      ++record.packets;
      record.bytes += packet.bytes;
      record.tcp_flags |= packet.tcp_flags;
      record.book_moment(moment_of(packet.time) > moment_of(record.last));
      // By time, not by order: the other point may have seen the two in reverse order.
      if (packet.time >= record.last) {
        record.last = packet.time;
        record.last_label = packet.label;
      } else if (packet.time < record.first) {
        record.first = packet.time;
        record.first_label = packet.label;
      }
    }
    if (packet.tcp_flags & tcp_closes) [[unlikely]] {
      export_record(record, Expiry::closed, records);
      tag = 0;
    }
    return;
  }
  insert(packet, row, records);
}

void FlowCache::insert(const ObservedPacket& packet, std::size_t row,
                       std::vector<FlowRecord>& records) {
  std::size_t room = ways;
  for (std::size_t way = 0; way < ways; ++way)
    if (tags_[row].tags[way] == 0) room = way;
  if (room == ways) {
    room = 0;
    for (std::size_t way = 1; way < ways; ++way)
      if (record_at(row * ways + way).last < record_at(row * ways + room).last) room = way;
    FlowRecord& oldest = record_at(row * ways + room);
    const bool paused = difference(packet.time, oldest.last) > options_.inactive_timeout;
    export_record(oldest, paused ? Expiry::inactive : Expiry::cache_full, records);
  }
  begin(record_at(row * ways + room), packet);
  tags_[row].tags[room] = tag_of(packet.flow);
  if (packet.tcp_flags & tcp_closes) {
    export_record(record_at(row * ways + room), Expiry::closed, records);
    tags_[row].tags[room] = 0;
  }
}

void FlowCache::sweep(Timestamp now, std::vector<FlowRecord>& records) {
  if (swept_at_ == Timestamp{}) swept_at_ = now;
  const double since = static_cast<double>(to_ns(difference(now, swept_at_)));
  const double share =
      since / static_cast<double>(std::max<std::int64_t>(1, to_ns(options_.inactive_timeout)));
  const auto rows =
      static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(tags_.size()));
  if (rows == 0) return;
  swept_at_ = now;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t row = hand_;
    hand_ = hand_ + 1 == tags_.size() ? 0 : hand_ + 1;
    for (std::size_t way = 0; way < ways; ++way) {
      if (tags_[row].tags[way] == 0) continue;
      FlowRecord& record = record_at(row * ways + way);
      if (!is_over(record, now)) continue;
      const bool paused = difference(now, record.last) > options_.inactive_timeout;
      export_record(record, paused ? Expiry::inactive : Expiry::active, records);
      tags_[row].tags[way] = 0;
    }
  }
}

void FlowCache::flush(std::vector<FlowRecord>& records) {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    std::uint32_t& tag = tags_[slot / ways].tags[slot % ways];
    if (tag == 0) continue;
    export_record(record_at(slot), Expiry::end_of_input, records);
    tag = 0;
  }
}

}  // namespace sojourn
