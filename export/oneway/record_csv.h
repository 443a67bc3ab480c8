#pragma once
// Flow records as CSV: how a point passes them to a collector without a network.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "export/csv_file.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/cnf/record_source.h"

namespace sojourn {

inline constexpr std::string_view record_csv_header =
    "protocol,source,source_port,destination,destination_port,packets,bytes,first_ns,last_ns,"
    "first_label,last_label,tcp_flags,expiry,moment_squares\n";
/// The format of points that do not count moments (oneway/cnf/moment.h); also accepted.
inline constexpr std::string_view short_record_csv_header =
    "protocol,source,source_port,destination,destination_port,packets,bytes,first_ns,last_ns,"
    "first_label,last_label,tcp_flags,expiry\n";

/// Whether the file begins like one of flow records.  False for an unreadable file, and for
/// standard input ("-") or a pipe: reading would consume its beginning.
bool holds_records(const std::string& path);

/// The lines of a file, one record each.  The error names the line and the wrong field.
class RecordCsvReader final : public RecordSource {
 public:
  /// The whole file in memory.  The error names it.
  static Result<RecordCsvReader> open(const std::string& path);
  /// Text already in memory; `name`, if any, is put before errors.
  explicit RecordCsvReader(std::string text, std::string name = {});

  Result<std::size_t> next(std::span<FlowRecord> batch) override;

 private:
  std::unexpected<Error> error(std::string message) const;

  std::string text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool has_moments_ = true;
};

/// Without finish(), as for a point that saw nothing, no file is created.
class RecordCsvWriter final : public RecordSink {
 public:
  explicit RecordCsvWriter(OutputFile file) : file_(std::move(file), record_csv_header) {}

  void take(std::span<const FlowRecord> records) override;
  /// Writes the rest and returns whether everything was written.
  Result<void> finish() { return file_.finish(); }

 private:
  CsvFile file_;
};

void append_record(std::string& lines, const FlowRecord& record);

}  // namespace sojourn
