#pragma once
// An output file for a run without an end: each line is visible as soon as it is written.

#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

/// Lines that are on disk, or in the pipe, as soon as they are written: a reader need not wait for
/// the end, and a killed run leaves its results so far.  So, unlike in OutputFile, there is no
/// rename.  An earlier file stays as it was until begin(), and a new one that is never begun is
/// removed: a run that cannot start changes nothing.
class LineFile {
 public:
  /// No file: all that is written to it is dropped.
  LineFile() = default;
  /// "-" is standard output.  Open it by RunFiles, which knows the inputs.
  static Result<LineFile> open(const std::string& path);

  LineFile(LineFile&& other) noexcept { swap(other); }
  LineFile& operator=(LineFile&& other) noexcept {
    swap(other);
    return *this;
  }
  ~LineFile();

  /// Empties the file and writes its first line.
  Result<void> begin(std::string_view header);
  /// The error is one line that names the file.
  Result<void> write(std::string_view text);
  /// A write failed because the reader has closed the pipe, as with `| head`.
  bool reader_gone() const { return reader_gone_; }

 private:
  Result<void> refused() const;
  void swap(LineFile& other) noexcept;

  std::string path_;
  int descriptor_ = -1;
  bool new_ = false;  ///< made by open(), and not begun
  bool reader_gone_ = false;
};

}  // namespace sojourn
