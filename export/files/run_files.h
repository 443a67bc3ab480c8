#pragma once
// The files of one run: no output is opened on an input, nor two outputs on the same file.

#include <string>
#include <vector>

#include "core/result.h"
#include "export/files/line_file.h"
#include "export/files/output_file.h"
#include "export/files/output_path.h"

namespace sojourn {

/// The content of an output.  Only a capture may replace a capture: replacing one by a table is
/// surely a mistake.
enum class OutputContent : unsigned char { text, capture };

/// Name all inputs first, then open the outputs, "-" for standard output, before the work begins.
/// Inputs are all files that the run reads: captures, and also keys, secrets and stores.
class RunFiles {
 public:
  /// An empty path names none.
  void reads(const std::string& path);
  /// The error is one line that names the file.
  Result<OutputFile> open(const std::string& path, OutputContent content = OutputContent::text);
  /// The same for an output that is read while it is written.
  Result<LineFile> open_lines(const std::string& path);

 private:
  Result<void> claim(const std::string& path, OutputContent content);

  std::vector<FileIdentity> inputs_, outputs_;
};

}  // namespace sojourn
