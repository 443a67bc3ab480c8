// Bytes as an IPFIX session: several messages in sequence, so that records of one message meet
// templates of an earlier one.  Each message is given as two bytes of length and that many bytes.
//
// For any input: the session ends every message, its memory stays within its limits, and a parsed
// report of a point is unchanged after it is written and read again.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ipfix/message_writer.h"
#include "ipfix/ntp_time.h"
#include "ipfix/session.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// NTP's format covers times from 1968 to 2104; a coarser element may have given another.  A NaN
/// weight, which the collector refuses, does not equal itself.
bool can_be_written(const PointReport& report) {
  const auto fits = [](Timestamp time) { return ipfix::from_ntp(ipfix::to_ntp(time)) == time; };
  for (const FlowRecord& record : report.records)
    if (!fits(record.first) || !fits(record.last) ||
        record.key.source.version() != record.key.destination.version())
      return false;
  return std::ranges::all_of(report.cells,
                             [&](const RttCell& cell) { return fits(cell.slice) && cell == cell; });
}

void check_again(const PointReport& report) {
  ipfix::Session session;
  PointReport again;
  std::vector<FlowRecord> records;
  std::vector<RttCell> cells;
  std::vector<MarkCount> marks;
  std::vector<ReferenceInterval> references;
  for (const auto& message : ipfix::template_messages({}, report.exported))
    session.decode(message, again);
  ipfix::MessageWriter writer{
      {}, [&](const ipfix::Message& message) {
        require(session.decode(message.bytes, again).counted);
        records.insert(records.end(), again.records.begin(), again.records.end());
        cells.insert(cells.end(), again.cells.begin(), again.cells.end());
        marks.insert(marks.end(), again.marks.begin(), again.marks.end());
        require(again.marks.empty() || again.marking == report.marking);
        for (const ReferenceInterval& part : again.references) append_part(references, part);
        require(again.references.empty() || again.referencing == report.referencing);
      }};
  writer.begin({"point", 1}, report.number, report.exported);
  writer.flows(report.records);
  writer.cells(report.cells);
  if (report.marking) writer.marks(*report.marking, report.marks);
  if (report.referencing) writer.references(*report.referencing, report.references);
  writer.end();
  require(session.troubles().total() == 0);
  require(records == report.records && cells == report.cells && marks == report.marks &&
          references == report.references);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ipfix::Limits limits{
      .domains = 4, .templates_per_domain = 8, .fields_per_template = 32, .fields = 100};
  ipfix::Session session{{.limits = limits}};
  PointReport report;
  while (size >= 2) {
    const std::size_t length = std::min<std::size_t>(data[0] * 256u + data[1], size - 2);
    // Exactly sized: AddressSanitizer sees its end.
    std::vector<std::byte> message(length);
    if (length > 0) std::memcpy(message.data(), data + 2, length);
    data += 2 + length;
    size -= 2 + length;
    // An invalid frame ends most inputs at once: give each a valid one.
    if (length >= ipfix::header_bytes) {
      ipfix::store(message.data(), ipfix::version);
      ipfix::store(message.data() + 2, static_cast<std::uint16_t>(length));
    }
    const std::uint64_t before = session.troubles().total();
    const ipfix::Decoded decoded = session.decode(message, report);
    require(decoded.framed == (length >= ipfix::header_bytes));
    require(decoded.counted || session.troubles().total() > before);
    require(session.templates() <= limits.domains * limits.templates_per_domain);
    std::size_t references = 0;
    for (const ReferenceInterval& interval : report.references) references += interval.records();
    require(report.records.size() + report.cells.size() + report.marks.size() + references +
                report.records_without_label <=
            decoded.data_records + (decoded.counted ? 0 : length));
    const bool says_something =
        !report.records.empty() || !report.cells.empty() || !report.marks.empty() || references > 0;
    if (says_something && can_be_written(report)) check_again(report);
  }
  return 0;
}
