// Bytes as a file of flow records.  For any input the parser returns records or one error that
// names a line of the file; what it accepts is unchanged after it is written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "export/oneway/record_csv.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

Result<std::vector<FlowRecord>> records_of(std::string_view text) {
  RecordCsvReader reader{std::string{text}};
  return all_records(reader);
}

void check(std::string_view text) {
  const auto records = records_of(text);
  if (!records) {
    const std::string& message = records.error().message;
    require(!message.empty() && message.find('\n') == std::string::npos);
    return;
  }
  std::string written{record_csv_header};
  for (const FlowRecord& record : *records) append_record(written, record);
  const auto again = records_of(written);
  require(again && *again == *records);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data),
                         size);  // exactly sized: ASan sees its end
  check(text);
  // Most inputs fail at the first line: use them also as the lines after a valid header.
  check(std::string{record_csv_header} + text);
  return 0;
}
