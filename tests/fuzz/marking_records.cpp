// Bytes as a file of a live marking point.  For any input the parser returns records or one error
// that names a line of the file; what it accepts can be joined with itself.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "export/marking/marking_report_csv.h"
#include "oneway/marking/marking_collector.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text) {
  const auto file = parse_marking_csv(text);
  if (!file) {
    const std::string& message = file.error().message;
    require(!message.empty() && message.find('\n') == std::string::npos);
    return;
  }
  const auto joined = join_marking({*file, *file});
  if (!joined) return;  // a flow that is none
  const auto results = collect({joined->setup.method, joined->clock_error.value_or(Duration{})},
                               joined->points[0], joined->points[1]);
  // A point cannot lose anything on the path to itself.
  for (const MarkingResult& result : results) require(result.lost.value_or(0) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check(text);
  // Behind the header, which random inputs would not find.
  check(std::string{marking_csv_header} + std::string{text});
  return 0;
}
