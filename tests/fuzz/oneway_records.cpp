// Bytes as a file of flow records.  Whatever they are, the parser ends with records or with one
// line that names a line of the file; what it accepts is written and read again without a change.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "oneway/cnf/record_csv.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text) {
  const auto records = records_from_csv(text);
  if (!records) {
    const std::string& message = records.error().message;
    require(!message.empty() && message.find('\n') == std::string::npos);
    return;
  }
  const auto again = records_from_csv(records_as_csv(*records));
  require(again && *again == *records);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data),
                         size);  // exactly sized: ASan sees its end
  check(text);
  // Most inputs fail at the first line: let them be the lines behind it as well.
  check(std::string{record_csv_header} + text);
  return 0;
}
