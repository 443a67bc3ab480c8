#pragma once
// An output file that appears whole or not at all.

#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

/// Writes to NAME.part-XXXXXX beside the file, and finish() moves it into place by rename(2): a
/// reader sees the old content or the new, never a part.  An OutputFile that is not finished leaves
/// nothing behind.  An existing file keeps its mode and owner, and a symbolic link stays one.
///
/// These are written directly: standard output ("-"), anything but a regular file (pipes,
/// /dev/null, /dev/fd/3), and a file whose folder or owner allows no replacement; the latter is
/// truncated by the first byte.  A failed write is remembered and reported by finish().
class OutputFile {
 public:
  /// The error is one line that names the file.
  static Result<OutputFile> open(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Call it before root's rights are dropped: afterwards open descriptors suffice.  A new file
  /// exists at once, empty; finish() copies into it, or into the old one.
  Result<void> hold_place();

  void write(std::string_view bytes);
  bool failed() const { return error_ != 0; }
  /// Moves the file into place, or returns what failed.  A closed reader of standard output, as
  /// behind `| head`, is not a failure; reader_gone() reports it.
  Result<void> finish();

  /// The reader of standard output has closed it; further output is useless.
  static bool reader_gone();

  /// For an immediate end of the program: removes unfinished files.  Async-signal-safe.
  static void remove_unfinished();

 private:
  OutputFile() = default;
  Result<void> open_beside(const std::string& target);
  bool keep_mode_and_owner() const;
  void copy_into_place();
  void discard();
  void swap(OutputFile& other) noexcept;
  Result<void> refused() const;

  std::string name_;       ///< as the user gave it
  std::string target_;     ///< the same without symbolic links
  std::string temporary_;  ///< empty: written directly
  int descriptor_ = -1;
  int place_ = -1;         ///< of the target, if its place is held
  int error_ = 0;          ///< errno of the first call that failed
  bool to_empty_ = false;  ///< an existing file, written directly: truncate before the first byte
  bool standard_output_ = false;
};

}  // namespace sojourn
