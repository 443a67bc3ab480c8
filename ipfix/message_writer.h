#pragma once
// Reports of a point into IPFIX messages.
//
//     MessageWriter writer{options, take};     take(message) is called for each full message
//     writer.begin(point, now);
//     writer.clock(state);  writer.flows(records);  writer.counters(counters);
//     writer.end();

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collector/report/point_report.h"
#include "ipfix/elements.h"
#include "ipfix/message.h"

namespace sojourn::ipfix {

/// Of a point's or segment's; a longer one would need RFC 7011's long form.
inline constexpr std::size_t most_name_bytes = 254;

/// A finished message.  Its sequence number is 0 until it is sent (`set_sequence`).
struct Message {
  std::span<const std::byte> bytes;
  std::uint32_t data_records = 0;  ///< all of them, as sequence numbers count
  std::uint32_t flow_records = 0;  ///< and marks, references: not cells; what the ledger counts
  std::uint64_t packets = 0;       ///< in these
};

inline void set_sequence(std::span<std::byte> message, std::uint32_t sequence) {
  store(message.data() + 8, sequence);
}

struct WriterOptions {
  std::uint32_t domain = 1;
  std::uint32_t enterprise = default_enterprise;
  std::size_t most_bytes = 16'384;  ///< of a message; `datagram_bytes` for UDP
};

/// The observation domain of a point: a hash of its name, never 0.
std::uint32_t domain_of(const std::string& name);

/// A message of templates alone, which starts a session and is repeated over UDP.
std::vector<std::vector<std::byte>> template_messages(const WriterOptions& options, Timestamp now);

/// Every message begins with a record that says whose it is and which number it has, so a message
/// out of a spool explains itself.  Memory: one message.
class MessageWriter {
 public:
  using Take = std::function<void(const Message&)>;

  MessageWriter(const WriterOptions& options, Take take);

  /// The next message has number `number`.
  void begin(const PointIdentity& point, std::uint64_t number, Timestamp now);
  void selection(const Selection& selection);
  void clock(const ClockState& clock);
  void counters(const PointCounters& counters);
  void flows(std::span<const FlowRecord> records);
  void cells(std::span<const RttCell> cells);
  /// Of alternate marking.  Every message that has any says first which run they are of.
  void marks(const MarkingRun& run, std::span<const MarkCount> counts);
  /// By reference packets, likewise.
  void references(const ReferenceRun& run, std::span<const ReferenceInterval> intervals);
  /// Hands over what is begun.  begin() may follow.
  void end();

  std::uint64_t next_number() const { return number_; }

 private:
  void start_message();
  void finish_message();
  void finish_set();
  /// Opens a set of `id` if another one is open, and a message if this one has no room for a record
  /// of `bytes`; gives the number of records that fit now.
  std::size_t make_room(std::uint16_t id, std::size_t bytes);
  std::byte* take_room(std::size_t bytes, std::size_t records);
  void marking_run(const MarkingRun& run);
  void reference_run(const ReferenceRun& run);
  /// Room for a record of the ledger with so many packets; if another message begins, `say_run`
  /// puts the run into it first.
  template <class SayRun>
  std::byte* room_in_run(std::uint16_t id, std::size_t bytes, std::size_t run_bytes,
                         std::uint64_t packets, SayRun say_run);

  template <class Record, class Encode>
  void encode_all(std::span<const Record> records, std::uint16_t id, std::size_t bytes,
                  Encode encode);

  WriterOptions options_;
  Take take_;
  PointIdentity point_;
  Timestamp now_{};
  std::uint64_t number_ = 1;
  std::vector<std::byte> buffer_;
  std::size_t size_ = 0;       ///< of the message so far; 0: none is begun
  std::size_t set_begin_ = 0;  ///< 0: no set is open
  std::uint16_t set_id_ = 0;
  bool said_run_ = false;  ///< of marks or references, in this message
  Message message_;
};

}  // namespace sojourn::ipfix
