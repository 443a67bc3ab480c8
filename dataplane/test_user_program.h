#pragma once
// For tests: the program of the kernel, run in this process: the same headers, the other compiler.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packet.h"
#include "dataplane/dataplane_histograms.h"

namespace sojourn {

/// What the tests hold the kernel's samples against, byte by byte.
class UserProgram {
 public:
  explicit UserProgram(const dp_config& config);

  /// One Ethernet frame.  Returns the number of the reason to skip it (wire/skip.h), or -1.
  int process(const Packet& packet);

  dp_control& control() { return control_; }
  const dp_counters& counters() const { return counters_; }
  /// With `histograms`.
  DataplaneHistograms histograms() const { return {bins_, cells_, marks_}; }
  /// Samples so far; the caller may clear them.
  std::vector<dp_sample>& samples() { return samples_; }

 private:
  friend struct UserMachine;

  dp_config config_;
  dp_control control_{};
  dp_counters counters_{};
  dp_sample pending_{};
  std::vector<dp_slot> slots_;
  std::vector<dp_shard> shards_;
  std::vector<dp_bucket> buckets_;
  std::vector<dp_super_bucket> super_buckets_;
  std::vector<dp_asked_line> asked_;
  dp_services services_;
  dp_factors factors_;
  std::vector<dp_bin> bins_;
  std::vector<dp_cell> cells_;
  std::vector<dp_marks> marks_;
  std::vector<dp_sample> samples_;
};

}  // namespace sojourn
