#include "ipfix/transport/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sojourn::ipfix {

/// The files are read on the machine that wrote them: native byte order.
struct Spool::SegmentHeader {
  std::uint64_t magic = 0x316c6f6f70736a73;  // "sjspool1"
  std::uint64_t generation = 0;
  std::uint64_t instance = 0;
  std::uint32_t base_sequence = 0;
  std::uint32_t base_known = 0;
};

struct Spool::EntryHeader {
  std::uint32_t length = 0;
  std::uint32_t checksum = 0;  ///< of what follows but for the last two, and of the bytes
  std::uint32_t data_records = 0;
  std::uint32_t flow_records = 0;
  std::uint64_t packets = 0;
  std::uint32_t sequence = 0;
  std::uint32_t numbered = 0;  ///< it was sent at least once, as `sequence`

  SpoolSums sums() const { return {1, flow_records, packets}; }
};

namespace {

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;  // FNV-1a over words, then over bytes
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes)
    hash = (hash ^ std::to_integer<unsigned>(byte)) * 0x100000001b3u;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

constexpr auto between_marks = std::chrono::milliseconds{100};

}  // namespace

SpoolSums& SpoolSums::operator+=(const SpoolSums& other) {
  messages += other.messages;
  records += other.records;
  packets += other.packets;
  return *this;
}
SpoolSums& SpoolSums::operator-=(const SpoolSums& other) {
  messages -= other.messages;
  records -= other.records;
  packets -= other.packets;
  return *this;
}

Spool::Spool(const SpoolOptions& options)
    : options_(options), segment_bytes_(std::max(options.bytes, least_bytes) / segment_count) {}

Result<std::unique_ptr<Spool>> Spool::open(const SpoolOptions& options) {
  std::unique_ptr<Spool> spool{new Spool{options}};
  if (auto opened = spool->open_files(); !opened) return std::unexpected(opened.error());
  return spool;
}

std::vector<std::string> Spool::files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < segment_count; ++i)
    files.push_back(fmt::format("{}/spool.{:02}", folder, i));
  return files;
}

Result<void> Spool::open_files() {
  const std::vector<std::string> files = files_in(options_.folder);
  for (std::size_t i = 0; i < segment_count; ++i) {
    if (options_.folder.empty()) {
      segments_[i].file = UniqueFd{::memfd_create("sojourn-spool", MFD_CLOEXEC)};
      if (!segments_[i].file)
        return failure(std::string{"cannot make a spool in memory: "} + std::strerror(errno));
      continue;
    }
    const std::string& path = files[i];
    segments_[i].file = UniqueFd{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!segments_[i].file)
      return failure(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    if (i == 0 && ::flock(segments_[0].file.get(), LOCK_EX | LOCK_NB) != 0)
      return failure(fmt::format("the spool {} is in use by another point", options_.folder));
    read_left_over(segments_[i]);
  }
  for (const Segment& segment : segments_) {
    newest_ = std::max(newest_, segment.generation);
    counters_.left_over += segment.unsent;
    counters_.left_over_waiting += segment.unsent;
  }
  if (Segment* oldest = after(0)) {
    cursor_ = {oldest->generation, sizeof(SegmentHeader)};
    enter(*oldest);
  }
  confirmed_ = cursor_;
  return {};
}

/// Sets `size` behind the last whole entry; what is cut there was being written when the program
/// ended.
void Spool::read_left_over(Segment& segment) {
  SegmentHeader header;
  struct stat status{};
  if (::fstat(segment.file.get(), &status) != 0 || status.st_size == 0) return;
  if (::pread(segment.file.get(), &header, sizeof header, 0) != sizeof header ||
      header.magic != SegmentHeader{}.magic || header.generation == 0)
    return void(++counters_.damaged);
  segment.generation = header.generation;
  segment.instance = header.instance;
  segment.base_sequence = header.base_sequence;
  segment.base_known = header.base_known != 0;
  segment.size = static_cast<std::size_t>(status.st_size);
  std::size_t offset = sizeof header;
  EntryHeader entry;
  while (offset < segment.size && read_entry(segment, offset, entry)) {
    // All of it is sent again: whether it arrived before, the collector knows by its number.
    segment.unsent += entry.sums();
    offset += sizeof entry + entry.length;
  }
  counters_.damaged += offset < segment.size;
  segment.size = offset;
}

Spool::Segment* Spool::segment_of(std::uint64_t generation) {
  for (Segment& segment : segments_)
    if (generation != 0 && segment.generation == generation) return &segment;
  return nullptr;
}

/// The oldest that is newer.
Spool::Segment* Spool::after(std::uint64_t generation) {
  Segment* next = nullptr;
  for (Segment& segment : segments_)
    if (segment.generation > generation && (!next || segment.generation < next->generation))
      next = &segment;
  return next;
}

bool Spool::write(Segment& segment, const void* bytes, std::size_t size, std::size_t offset) {
  return ::pwrite(segment.file.get(), bytes, size, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(size);
}

void Spool::stop_waiting(Segment& segment, const SpoolSums& sums) {
  segment.unsent -= sums;
  (is_ours(segment) ? counters_.waiting : counters_.left_over_waiting) -= sums;
}

/// What was not sent of it.
void Spool::discard(Segment& segment) {
  const SpoolSums lost = segment.unsent;
  stop_waiting(segment, lost);
  (is_ours(segment) ? counters_.discarded : counters_.left_over_discarded) += lost;
}

void Spool::free(Segment& segment) {
  discard(segment);
  segment.generation = 0;
  segment.size = 0;
  segment.base_known = false;
  if (::ftruncate(segment.file.get(), 0) != 0) ++counters_.failed_writes;
}

void Spool::begin(Segment& segment) {
  segment.generation = ++newest_;
  segment.instance = options_.instance;
  segment.size = sizeof(SegmentHeader);
}

/// A segment of this run with room for so many bytes.
Spool::Segment* Spool::make_room(std::size_t bytes) {
  Segment* current = segment_of(newest_);
  if (current && current->instance == options_.instance && current->size + bytes <= segment_bytes_)
    return current;
  Segment* room = nullptr;
  for (Segment& segment : segments_)
    if (segment.generation == 0) room = &segment;
  if (!room) {
    room = after(0);
    const std::uint64_t gone = room->generation;
    late_is_ours_ = is_ours(*room);
    free(*room);
    for (Position* position : {&cursor_, &confirmed_}) {
      if (position->generation != gone) continue;
      Segment* oldest = after(gone);
      *position = {oldest->generation, sizeof(SegmentHeader)};
      if (position == &cursor_) {
        if (std::exchange(has_next_, false)) sent_late_ = next_sums_;
        enter(*oldest);
      }
    }
    std::erase_if(marks_, [&](const Mark& mark) { return mark.position.generation == gone; });
  }
  begin(*room);
  SegmentHeader header;
  header.generation = room->generation;
  header.instance = room->instance;
  if (!write(*room, &header, sizeof header, 0)) {
    ++counters_.failed_writes;
    free(*room);
    return nullptr;
  }
  return room;
}

void Spool::append(const Message& message) {
  const std::lock_guard lock{mutex_};
  EntryHeader header;
  header.length = static_cast<std::uint32_t>(message.bytes.size());
  header.data_records = message.data_records;
  header.flow_records = message.flow_records;
  header.packets = message.packets;
  header.checksum = checksum_of(message.bytes, header.length ^ header.data_records << 16);
  counters_.appended += header.sums();
  Segment* const segment = make_room(sizeof header + header.length);
  if (!segment ||
      !write(*segment, message.bytes.data(), header.length, segment->size + sizeof header) ||
      // The header last: a program that ends in between leaves a cut entry, not a wrong one.
      !write(*segment, &header, sizeof header, segment->size)) {
    counters_.discarded += header.sums();
    ++counters_.failed_writes;
    if (segment && ::ftruncate(segment->file.get(), static_cast<off_t>(segment->size)) != 0)
      ++counters_.failed_writes;
    return;
  }
  segment->size += sizeof header + header.length;
  segment->unsent += header.sums();
  counters_.waiting += header.sums();
  if (cursor_.generation == 0) {
    cursor_ = {segment->generation, sizeof(SegmentHeader)};
    confirmed_ = cursor_;
    enter(*segment);
  }
}

/// The cursor comes into a segment: which sequence number goes on here?
void Spool::enter(Segment& segment) {
  if (segment.base_known)
    sequence_ = segment.base_sequence;
  else if (segment.instance != sequence_of_)
    sequence_ = 0;
  sequence_of_ = segment.instance;
  if (segment.base_known) return;
  segment.base_known = true;
  segment.base_sequence = sequence_;
  const SegmentHeader header{.generation = segment.generation,
                             .instance = segment.instance,
                             .base_sequence = sequence_,
                             .base_known = 1};
  if (!write(segment, &header, sizeof header, 0)) ++counters_.failed_writes;
}

/// Into `buffer_`.  False if there is no whole entry.
bool Spool::read_entry(Segment& segment, std::size_t offset, EntryHeader& header) {
  const int file = segment.file.get();
  if (offset + sizeof header > segment.size ||
      ::pread(file, &header, sizeof header, static_cast<off_t>(offset)) != sizeof header ||
      header.length < header_bytes || header.length > most_message_bytes ||
      offset + sizeof header + header.length > segment.size)
    return false;
  buffer_.resize(header.length);
  return ::pread(file, buffer_.data(), header.length, static_cast<off_t>(offset + sizeof header)) ==
             static_cast<ssize_t>(header.length) &&
         checksum_of(buffer_, header.length ^ header.data_records << 16) == header.checksum;
}

std::optional<std::span<const std::byte>> Spool::next() {
  const std::lock_guard lock{mutex_};
  has_next_ = false;
  while (Segment* segment = segment_of(cursor_.generation)) {
    if (cursor_.offset >= segment->size) {
      Segment* const newer = after(cursor_.generation);
      if (!newer) return std::nullopt;
      cursor_ = {newer->generation, sizeof(SegmentHeader)};
      enter(*newer);
      continue;
    }
    EntryHeader header;
    if (!read_entry(*segment, cursor_.offset, header)) {
      // Changed behind our back: what else is in this file cannot be found.
      ++counters_.damaged;
      discard(*segment);
      segment->size = cursor_.offset;
      continue;
    }
    set_sequence(buffer_, header.numbered != 0 ? header.sequence : sequence_);
    has_next_ = true;
    next_sums_ = cursor_ >= sent_until_ ? header.sums() : SpoolSums{};
    return buffer_;
  }
  return std::nullopt;
}

void Spool::sent(Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  (late_is_ours_ ? counters_.discarded : counters_.left_over_discarded) -=
      std::exchange(sent_late_, {});
  Segment* const segment = segment_of(cursor_.generation);
  if (!std::exchange(has_next_, false) || !segment) return;
  EntryHeader header;
  if (!read_entry(*segment, cursor_.offset, header)) return;
  if (header.numbered == 0) {
    header.numbered = 1;
    header.sequence = sequence_;
    if (!write(*segment, &header, sizeof header, cursor_.offset)) ++counters_.failed_writes;
  }
  // Those of an earlier run may be numbered and still wait in this one.
  if (cursor_ >= sent_until_) stop_waiting(*segment, header.sums());
  sequence_ = header.sequence + header.data_records;
  cursor_.offset += sizeof header + header.length;
  sent_until_ = std::max(sent_until_, cursor_);
  if (marks_.empty() || now - marks_.back().began >= between_marks)
    marks_.push_back({cursor_, now, now});
  else
    marks_.back() = {cursor_, marks_.back().began, now};
}

void Spool::confirm(Clock::time_point until) {
  const std::lock_guard lock{mutex_};
  while (!marks_.empty() && marks_.front().time <= until) {
    confirmed_ = marks_.front().position;
    marks_.pop_front();
  }
  for (Segment& segment : segments_)
    if (segment.generation != 0 && segment.generation < confirmed_.generation) free(segment);
}

void Spool::rewind() {
  const std::lock_guard lock{mutex_};
  if (confirmed_.generation == 0) return;
  cursor_ = confirmed_;
  marks_.clear();
  has_next_ = false;
  sent_late_ = {};
}

void Spool::forget_sent() {
  const std::lock_guard lock{mutex_};
  if (!counters_.empty()) return;
  for (Segment& segment : segments_)
    if (segment.generation != 0) free(segment);
  cursor_ = confirmed_ = {};
  marks_.clear();
}

SpoolCounters Spool::counters() const {
  const std::lock_guard lock{mutex_};
  return counters_;
}

std::size_t Spool::bytes_on_disk() const {
  const std::lock_guard lock{mutex_};
  std::size_t bytes = 0;
  for (const Segment& segment : segments_) bytes += segment.size;
  return bytes;
}

}  // namespace sojourn::ipfix
