#pragma once
// A file to write, which appears whole or not at all.

#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

/// Collects what is written in NAME.part-XXXXXX beside the file, and finish() puts it in the file's
/// place by rename(2): a reader sees the old content or the new, never a half.  An OutputFile that
/// is not finished leaves nothing behind.  An existing file keeps its mode and owner, and a
/// symbolic link stays one.
///
/// Written directly are standard output ("-"), what is no regular file (pipes, /dev/null,
/// /dev/fd/3), and a file whose folder or owner allows no new one in its place; this is emptied by
/// the first byte.  A write that fails is remembered, and told by finish().
class OutputFile {
 public:
  /// The error is one line that names the file.
  static Result<OutputFile> open(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// For when root's rights are about to be given up: from now on open descriptors are all that is
  /// needed.  A new file is there at once, empty; finish() copies into it, or into the old one.
  Result<void> hold_place();

  void write(std::string_view bytes);
  bool failed() const { return error_ != 0; }
  /// Puts the file in its place, or tells what failed.  That nobody reads standard output any more,
  /// as behind `| head`, is no failure; reader_gone() tells it.
  Result<void> finish();

  /// Whoever read from standard output has gone; there is no use in writing more.
  static bool reader_gone();

  /// For when the program has to end at once: removes what is not finished.  May be called in a
  /// signal handler.
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
  int place_ = -1;         ///< of the target, where its place is held
  int error_ = 0;          ///< errno of the first call that failed
  bool to_empty_ = false;  ///< an existing file that is written directly: before the first byte
  bool standard_output_ = false;
};

}  // namespace sojourn
