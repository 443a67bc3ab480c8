#pragma once
// A file of lines, written piece by piece.

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "export/files/output_file.h"

namespace sojourn {

/// Appears whole or not at all; the first failure is kept and returned by finish().
class CsvFile {
 public:
  CsvFile(OutputFile file, std::string_view header) : file_(std::move(file)), lines_(header) {}

  /// Buffer for the next lines; written when there are many.
  std::string& lines() { return lines_; }
  void pass_on();
  /// Writes the rest, moves the file into place and returns whether everything was written.
  Result<void> finish();

 private:
  OutputFile file_;
  std::string lines_;
};

}  // namespace sojourn
