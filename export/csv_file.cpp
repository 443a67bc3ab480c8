#include "export/csv_file.h"

namespace sojourn {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;

}  // namespace

void CsvFile::pass_on() {
  if (lines_.size() < piece) return;
  file_.write(lines_);
  lines_.clear();
}

Result<void> CsvFile::finish() {
  file_.write(lines_);
  lines_.clear();
  return file_.finish();
}

}  // namespace sojourn
