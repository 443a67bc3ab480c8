#include "ipfix/message_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string_view>
#include <type_traits>

#include "ipfix/flow_end_reason.h"
#include "ipfix/ntp_time.h"
#include "ipfix/point_templates.h"
#include "oneway/selection.h"

namespace sojourn::ipfix {
namespace {

/// Values one behind the other, in network order.  Who calls has made room.
class Pen {
 public:
  explicit Pen(std::byte* at) : at_(at) {}

  template <class Unsigned>
  Pen& put(Unsigned value) {
    store(at_, value);
    at_ += sizeof value;
    return *this;
  }
  Pen& boolean(bool value) { return put(std::uint8_t{value ? std::uint8_t{1} : std::uint8_t{2}}); }
  Pen& number(double value) { return put(std::bit_cast<std::uint64_t>(value)); }
  Pen& bytes(const void* from, std::size_t size) {
    std::memcpy(at_, from, size);
    at_ += size;
    return *this;
  }
  /// RFC 7011 section 7, short form.
  Pen& word(std::string_view text) {
    assert(text.size() <= most_name_bytes);
    put(static_cast<std::uint8_t>(text.size()));
    return bytes(text.data(), text.size());
  }
  const std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

template <std::size_t address_bytes>
Pen write_key(std::byte* to, const FlowKey& key) {
  return Pen{to}
      .bytes(key.source.bytes().data(), address_bytes)
      .bytes(key.destination.bytes().data(), address_bytes)
      .put(key.source_port)
      .put(key.destination_port)
      .put(key.protocol);
}

/// The order of point_templates.cpp.
template <std::size_t address_bytes>
inline void encode_flow(std::byte* to, const FlowRecord& record) {
  write_key<address_bytes>(to, record.key)
      .put(static_cast<std::uint8_t>(reason_of(record.expiry)))
      .put(std::uint16_t{record.tcp_flags})
      .put(record.packets)
      .put(record.bytes)
      .put(to_ntp(record.first))
      .put(to_ntp(record.last))
      .put(static_cast<std::uint64_t>(to_milliseconds(record.first)))
      .put(static_cast<std::uint64_t>(to_milliseconds(record.last)))
      .put(record.first_label)
      .put(record.last_label)
      .put(record.moment_squares);
}

template <std::size_t address_bytes>
void encode_cell(std::byte* to, const RttCell& cell) {
  Pen{to}
      .bytes(cell.prefix.bytes().data(), address_bytes)
      .put(cell.prefix_length)
      .put(static_cast<std::uint8_t>(cell.kind))
      .put(static_cast<std::uint8_t>(cell.leg))
      .put(cell.flow_group)
      .put(static_cast<std::uint32_t>(cell.bin))
      .put(to_ntp(cell.slice))
      .put(static_cast<std::uint64_t>(to_ns(cell.length)))
      .number(cell.weight)
      .number(cell.squared_weights)
      .put(cell.flow_marks);
}

void encode_mark(std::byte* to, const MarkCount& count) {
  Pen{to}
      .put(to_ntp(count.start))
      .put(to_ntp(count.read_at))
      .put(static_cast<std::uint64_t>(count.interval))
      .put(count.packets)
      .put(count.pulses)
      .put(to_ntp(count.pulse_time))
      .put(static_cast<std::uint64_t>(to_ns(count.late)))
      .put(static_cast<std::uint64_t>(to_ns(count.early)))
      .put(count.middle)
      .put(count.contrary)
      .put(count.other)
      .put(count.marked_before)
      .put(count.repeats)
      .word(count.doubt)
      .word(count.flow);
}

template <std::size_t address_bytes>
void encode_reference(std::byte* to, const ReferenceInterval& interval, const ReferenceFlow& flow) {
  write_key<address_bytes>(to, flow.key)
      .put(to_ntp(interval.begin))
      .put(to_ntp(interval.end))
      .put(flow.packets)
      .put(flow.estimated)
      .put(flow.left_only)
      .number(flow.mean_ns)
      .number(flow.deviation_ns);
}

void encode_seen(std::byte* to, const ReferenceInterval& interval) {
  const ReferenceSeen& seen = *interval.seen;
  Pen pen{to};
  pen.put(to_ntp(interval.begin)).put(to_ntp(interval.end));
  for (const std::uint64_t count :
       {seen.references, seen.lost, seen.reordered, seen.of_others, seen.off, seen.before_first,
        seen.after_last, seen.no_room, seen.unread})
    pen.put(count);
}

std::size_t bytes_of(const MarkingRun& run) {
  return marking_run_bytes + run.duty.size() + run.method.size() + run.carrier.size();
}

std::uint32_t export_seconds(Timestamp now) {
  return static_cast<std::uint32_t>(to_ns(now) / 1'000'000'000);
}

void write_header(std::byte* to, std::size_t length, Timestamp now, std::uint32_t domain) {
  Pen{to}
      .put(version)
      .put(static_cast<std::uint16_t>(length))
      .put(export_seconds(now))
      .put(std::uint32_t{0})
      .put(domain);
}

}  // namespace

std::uint32_t domain_of(const std::string& name) {
  std::uint32_t hash = 2'166'136'261u;  // FNV-1a: the same for everybody, always
  for (const char letter : name) hash = (hash ^ static_cast<std::uint8_t>(letter)) * 16'777'619u;
  return hash == 0 ? 1 : hash;
}

std::vector<std::vector<std::byte>> template_messages(const WriterOptions& options, Timestamp now) {
  std::vector<std::vector<std::byte>> messages;
  for (const Template& announced : point_templates(options.enterprise)) {
    const std::vector<std::byte> set = template_set_of(announced);
    if (messages.empty() || messages.back().size() + set.size() > options.most_bytes)
      messages.emplace_back(header_bytes);
    messages.back().insert(messages.back().end(), set.begin(), set.end());
  }
  for (auto& message : messages) write_header(message.data(), message.size(), now, options.domain);
  return messages;
}

MessageWriter::MessageWriter(const WriterOptions& options, Take take)
    : options_(options), take_(std::move(take)) {
  // The report record with the longest name, a run of marks and its longest record behind it.
  options_.most_bytes = std::clamp<std::size_t>(options_.most_bytes, 1'000, most_message_bytes);
  buffer_.resize(options_.most_bytes);
}

void MessageWriter::begin(const PointIdentity& point, std::uint64_t number, Timestamp now) {
  assert(size_ == 0);
  point_ = point;
  if (point_.name.size() > most_name_bytes) point_.name.resize(most_name_bytes);
  number_ = number;
  now_ = now;
}

void MessageWriter::start_message() {
  size_ = header_bytes;
  message_ = {};
  const std::size_t bytes = 4 + 8 + 8 + 8 + 1 + point_.name.size();
  store(buffer_.data() + size_, std::uint16_t{report_template});
  store(buffer_.data() + size_ + 2, static_cast<std::uint16_t>(set_header_bytes + bytes));
  Pen{buffer_.data() + size_ + set_header_bytes}
      .put(options_.domain)
      .put(point_.instance)
      .put(number_++)
      .put(to_ntp(now_))
      .word(point_.name);
  size_ += set_header_bytes + bytes;
  message_.data_records = 1;
  set_begin_ = 0;
  said_run_ = false;
}

void MessageWriter::finish_set() {
  if (set_begin_ == 0) return;
  store(buffer_.data() + set_begin_ + 2, static_cast<std::uint16_t>(size_ - set_begin_));
  set_begin_ = 0;
}

void MessageWriter::finish_message() {
  if (size_ == 0) return;
  finish_set();
  write_header(buffer_.data(), size_, now_, options_.domain);
  message_.bytes = {buffer_.data(), size_};
  size_ = 0;
  take_(message_);
}

void MessageWriter::end() { finish_message(); }

std::size_t MessageWriter::make_room(std::uint16_t id, std::size_t bytes) {
  const auto opens = [&] { return set_begin_ == 0 || set_id_ != id; };
  const auto room = [&] {
    const std::size_t used = size_ + (opens() ? set_header_bytes : 0);
    return used > buffer_.size() ? 0 : (buffer_.size() - used) / bytes;
  };
  if (size_ > 0 && room() == 0) finish_message();
  if (size_ == 0) start_message();
  assert(room() > 0);
  const std::size_t fits = room();
  if (opens()) {
    finish_set();
    set_begin_ = size_;
    set_id_ = id;
    store(buffer_.data() + size_, id);
    size_ += set_header_bytes;
  }
  return fits;
}

std::byte* MessageWriter::take_room(std::size_t bytes, std::size_t records) {
  std::byte* const at = buffer_.data() + size_;
  size_ += bytes * records;
  message_.data_records += static_cast<std::uint32_t>(records);
  return at;
}

/// As many as fit at a time, in a loop that looks at nothing but the record.
template <class Record, class Encode>
void MessageWriter::encode_all(std::span<const Record> records, std::uint16_t id, std::size_t bytes,
                               Encode encode) {
  while (!records.empty()) {
    const std::size_t count = std::min(make_room(id, bytes), records.size());
    std::byte* to = take_room(bytes, count);
    if constexpr (std::is_same_v<Record, FlowRecord>)
      message_.flow_records += static_cast<std::uint32_t>(count);
    for (const Record& record : records.first(count)) {
      encode(to, record);
      to += bytes;
    }
    records = records.subspan(count);
  }
}

void MessageWriter::flows(std::span<const FlowRecord> records) {
  // Runs of the same version of IP; points see mostly one of them.
  while (!records.empty()) {
    const IpVersion version_of_run = records.front().key.source.version();
    std::size_t run = 1;
    while (run < records.size() && records[run].key.source.version() == version_of_run) ++run;
    const auto count = [this](const FlowRecord& record) { message_.packets += record.packets; };
    if (version_of_run == IpVersion::v4)
      encode_all(records.first(run), flow_v4_template, flow_v4_bytes,
                 [&](std::byte* to, const FlowRecord& record) {
                   encode_flow<4>(to, record);
                   count(record);
                 });
    else
      encode_all(records.first(run), flow_v6_template, flow_v6_bytes,
                 [&](std::byte* to, const FlowRecord& record) {
                   encode_flow<16>(to, record);
                   count(record);
                 });
    records = records.subspan(run);
  }
}

void MessageWriter::cells(std::span<const RttCell> cells) {
  for (const RttCell& cell : cells) {
    if (cell.prefix.version() == IpVersion::v4)
      encode_all(std::span{&cell, 1}, cell_v4_template, cell_v4_bytes, encode_cell<4>);
    else
      encode_all(std::span{&cell, 1}, cell_v6_template, cell_v6_bytes, encode_cell<16>);
  }
}

template <class SayRun>
std::byte* MessageWriter::room_in_run(std::uint16_t id, std::size_t bytes, std::size_t run_bytes,
                                      std::uint64_t packets, SayRun say_run) {
  // With room for its run, so that no message begins in between.
  if (size_ + bytes + run_bytes + 2 * set_header_bytes > buffer_.size()) finish_message();
  if (size_ == 0 || !said_run_) say_run();
  make_room(id, bytes);
  message_.flow_records += 1;
  message_.packets += packets;
  return take_room(bytes, 1);
}

void MessageWriter::marks(const MarkingRun& run, std::span<const MarkCount> counts) {
  // A run that ends says so even if there is nothing to count.
  if (counts.empty()) marking_run(run);
  for (const MarkCount& count : counts) {
    const std::size_t bytes = mark_bytes + count.doubt.size() + count.flow.size();
    encode_mark(
        room_in_run(mark_template, bytes, bytes_of(run), count.packets, [&] { marking_run(run); }),
        count);
  }
}

void MessageWriter::references(const ReferenceRun& run,
                               std::span<const ReferenceInterval> intervals) {
  if (intervals.empty()) reference_run(run);
  const auto room = [&](std::uint16_t id, std::size_t bytes, std::uint64_t packets) {
    return room_in_run(id, bytes, reference_run_bytes, packets, [&] { reference_run(run); });
  };
  for (const ReferenceInterval& interval : intervals) {
    if (interval.seen)
      encode_seen(room(reference_interval_template, reference_interval_bytes, 0), interval);
    for (const ReferenceFlow& flow : interval.flows)
      if (flow.key.source.version() == IpVersion::v4)
        encode_reference<4>(room(reference_v4_template, reference_v4_bytes, flow.packets), interval,
                            flow);
      else
        encode_reference<16>(room(reference_v6_template, reference_v6_bytes, flow.packets),
                             interval, flow);
  }
}

void MessageWriter::reference_run(const ReferenceRun& run) {
  make_room(reference_run_template, reference_run_bytes);
  Pen{take_room(reference_run_bytes, 1)}
      .put(options_.domain)
      .put(to_ntp(run.since))
      .boolean(run.clock_error.has_value())
      .put(static_cast<std::uint64_t>(to_ns(run.clock_error.value_or(Duration{}))))
      .put(static_cast<std::uint64_t>(to_ns(run.every)))
      .boolean(run.ended);
  said_run_ = true;
}

void MessageWriter::marking_run(const MarkingRun& run) {
  make_room(marking_run_template, bytes_of(run));
  Pen{take_room(bytes_of(run), 1)}
      .put(options_.domain)
      .put(to_ntp(run.since))
      .boolean(run.clock_error.has_value())
      .put(static_cast<std::uint64_t>(to_ns(run.clock_error.value_or(Duration{}))))
      .put(static_cast<std::uint8_t>(run.exponent))
      .boolean(run.copies)
      .boolean(run.ended)
      .word(run.duty)
      .word(run.method)
      .word(run.carrier);
  said_run_ = true;
}

void MessageWriter::selection(const Selection& selection) {
  make_room(selection_template, selection_bytes);
  const SelectionRange range = SelectionRange::of_share(selection.sampling);
  const auto algorithm =
      selection.hash == "ipsx" ? SelectorAlgorithm::ipsx : SelectorAlgorithm::bob;
  Pen{take_room(selection_bytes, 1)}
      .put(std::uint64_t{1})
      .put(static_cast<std::uint16_t>(algorithm))
      .put(std::uint64_t{selection.payload_offset})
      .put(std::uint64_t{selection.payload_bytes})
      .put(std::uint64_t{0})
      .put(std::uint64_t{0xffff'ffff})
      .put(std::uint64_t{range.min})
      .put(std::uint64_t{range.max})
      .boolean(true)
      .number(selection.sampling)
      .boolean(selection.sample_flows)
      .put(selection.secret_fingerprint);
}

void MessageWriter::clock(const ClockState& clock) {
  make_room(clock_template, clock_bytes);
  Pen{take_room(clock_bytes, 1)}
      .put(options_.domain)
      .put(to_ntp(now_))
      .boolean(clock.synchronised)
      .put(static_cast<std::uint64_t>(to_ns(clock.maximum_error)));
}

void MessageWriter::counters(const PointCounters& counters) {
  make_room(counters_template, counters_bytes);
  Pen{take_room(counters_bytes, 1)}
      .put(options_.domain)
      .put(counters.packets_seen)
      .put(counters.packets_not_selected)
      .put(counters.packets_selected)
      .put(counters.packets_in_cache)
      .put(counters.packets_exported)
      .put(counters.packets_spooled)
      .put(counters.packets_discarded)
      .put(counters.records_exported)
      .put(counters.records_spooled)
      .put(counters.records_discarded)
      .put(counters.packets_dropped);
}

}  // namespace sojourn::ipfix
