#include <cmath>

#include "export/store/answer_report.h"
#include "ipfix/delay_records.h"

namespace sojourn {

IpfixAnswer answer_ipfix(const AnswerReport& report) {
  std::vector<ipfix::DelayRecord> records;
  IpfixAnswer made;
  for (const AnswerSubject& subject : report.answer.subjects)
    for (const AnswerRow& row : subject.rows) {
      if (row.measure != number_of(Measure::oneway) || !row.delays.mean()) continue;
      ipfix::DelayRecord record;
      record.segment = subject.name;
      if (row.prefix) {
        record.prefix = row.prefix->network();
        record.prefix_length = static_cast<std::uint8_t>(row.prefix->length());
      }
      record.from = report.answer.from;
      record.to = report.answer.to;
      record.packets = static_cast<std::uint64_t>(std::llround(row.delays.total_weight()));
      record.mean = *row.delays.mean();
      record.min = row.delays.min().value_or(record.mean);
      record.max = row.delays.max().value_or(record.mean);
      if (ipfix::can_be_told(record))
        records.push_back(record);
      else
        ++(ipfix::is_negative(record) ? made.negative : made.too_long);
    }
  const std::vector<std::byte> file = ipfix::delay_file(records, report.now);
  made.bytes.assign(reinterpret_cast<const char*>(file.data()), file.size());
  made.records = records.size();
  return made;
}

}  // namespace sojourn
