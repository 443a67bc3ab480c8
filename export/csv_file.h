#pragma once
// A file of lines, written piece by piece.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace sojourn {

/// "-" is standard output.  The first failure is kept and given by finish().
class CsvFile {
 public:
  static Result<CsvFile> open(const std::string& path, std::string_view header);

  /// Where the next lines go; handed on when there are many.
  std::string& lines() { return lines_; }
  void pass_on();
  /// Writes what is left and tells whether everything arrived.
  Result<void> finish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  CsvFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}

  std::unique_ptr<std::FILE, Closer> file_;
  std::string path_;
  std::string lines_;
  std::string error_;
};

}  // namespace sojourn
