#pragma once
// Messages that wait for the collector, in bounded room: in memory, or in a folder where they
// survive the end of the program, however sudden.

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"
#include "ipfix/message_writer.h"

namespace sojourn::ipfix {

struct SpoolOptions {
  std::string folder = {};  ///< empty: in memory
  std::size_t bytes = std::size_t{64} << 20;
  std::uint64_t instance = 1;  ///< of the point that writes now
};

/// What became of messages, records and the packets in them.
struct SpoolSums {
  std::uint64_t messages = 0, records = 0, packets = 0;

  SpoolSums& operator+=(const SpoolSums& other);
  SpoolSums& operator-=(const SpoolSums& other);
};

struct SpoolCounters {
  SpoolSums appended;           ///< in this run
  SpoolSums waiting;            ///< not sent yet, of this run
  SpoolSums discarded;          ///< thrown away: no room, a full disk, or damaged
  SpoolSums left_over;          ///< of earlier runs, found at the start
  SpoolSums left_over_waiting;  ///< of these, not sent yet
  SpoolSums left_over_discarded;
  std::uint64_t failed_writes = 0;  ///< the disk took no more
  std::uint64_t damaged = 0;        ///< entries cut or changed on the disk

  bool empty() const { return waiting.messages + left_over_waiting.messages == 0; }
};

/// A ring of files (of memory: memfd_create), written one behind the other.  A full ring throws
/// away its oldest file.  What was sent stays until the session has lived on for a while: TCP does
/// not say what the other side has read, so `rewind` sends the last seconds again, with the numbers
/// they had.  The collector knows repeated messages by these.
///
/// The files are opened once, so nothing is needed of the folder afterwards: a point can drop its
/// privileges.  Safe for one thread that appends and one that sends.
class Spool {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t segment_count = 16;
  static constexpr std::size_t least_bytes = segment_count * 128 * 1024;

  static Result<std::unique_ptr<Spool>> open(const SpoolOptions& options);
  /// The files that it keeps in `folder`.
  static std::vector<std::string> files_in(const std::string& folder);

  void append(const Message& message);

  /// The message to be sent next, with its sequence number in it.  Valid until the next call.
  std::optional<std::span<const std::byte>> next();
  /// It went out.
  void sent(Clock::time_point now);
  /// All that was sent before `until` has arrived.
  void confirm(Clock::time_point until);
  /// A new session: what is not confirmed is sent again.
  void rewind();
  /// The end, and all was sent: nothing of it is kept.
  void forget_sent();

  SpoolCounters counters() const;
  std::size_t bytes_on_disk() const;

 private:
  struct Segment {
    UniqueFd file;
    std::uint64_t generation = 0;  ///< 0: free
    std::uint64_t instance = 0;
    std::size_t size = 0;
    std::uint32_t base_sequence = 0;
    bool base_known = false;
    SpoolSums unsent;
  };
  struct Position {
    std::uint64_t generation = 0;
    std::size_t offset = 0;
    auto operator<=>(const Position&) const = default;
  };
  struct Mark {
    Position position;
    Clock::time_point began, time;  ///< of the first and the last message that it stands for
  };
  struct EntryHeader;
  struct SegmentHeader;

  explicit Spool(const SpoolOptions& options);
  Result<void> open_files();
  void read_left_over(Segment& segment);
  Segment* segment_of(std::uint64_t generation);
  Segment* after(std::uint64_t generation);
  Segment* make_room(std::size_t bytes);
  void begin(Segment& segment);
  bool is_ours(const Segment& segment) const { return segment.instance == options_.instance; }
  void stop_waiting(Segment& segment, const SpoolSums& sums);
  void discard(Segment& segment);
  void free(Segment& segment);
  void enter(Segment& segment);
  bool read_entry(Segment& segment, std::size_t offset, EntryHeader& header);
  bool write(Segment& segment, const void* bytes, std::size_t size, std::size_t offset);

  SpoolOptions options_;
  std::size_t segment_bytes_;
  std::array<Segment, segment_count> segments_;
  std::uint64_t newest_ = 0;
  Position cursor_, confirmed_;
  std::deque<Mark> marks_;
  std::uint32_t sequence_ = 0;     ///< of the next message that was never sent
  std::uint64_t sequence_of_ = 0;  ///< the instance that it belongs to
  Position sent_until_;            ///< in this run
  bool has_next_ = false;          ///< next() has given a message that is not sent() yet
  SpoolSums next_sums_;            ///< of that
  bool late_is_ours_ = true;
  SpoolSums sent_late_;  ///< it was thrown away before sent(): to be taken back then
  std::vector<std::byte> buffer_;
  SpoolCounters counters_;
  mutable std::mutex mutex_;
};

}  // namespace sojourn::ipfix
