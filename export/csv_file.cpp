#include "export/csv_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace sojourn {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;

}  // namespace

Result<CsvFile> CsvFile::open(const std::string& path, std::string_view header) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (!file) return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  CsvFile csv{file, path};
  csv.lines_ = header;
  return csv;
}

void CsvFile::pass_on() {
  if (lines_.size() < piece) return;
  if (error_.empty() && std::fwrite(lines_.data(), 1, lines_.size(), file_.get()) != lines_.size())
    error_ = std::strerror(errno);
  lines_.clear();
}

Result<void> CsvFile::finish() {
  if (error_.empty() && std::fwrite(lines_.data(), 1, lines_.size(), file_.get()) != lines_.size())
    error_ = std::strerror(errno);
  lines_.clear();
  if (error_.empty() && std::fflush(file_.get()) != 0) error_ = std::strerror(errno);
  if (!error_.empty()) return failure(fmt::format("cannot write {}: {}", path_, error_));
  return {};
}

}  // namespace sojourn
