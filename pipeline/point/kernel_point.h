#pragma once
// A point's packets, selected in the kernel: only selected packets are copied.
//
//     program in the kernel -> ring -> selected packets, as if captured
//     round trips in the kernel (pipeline/kernel_rtt.h) -> samples

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/source.h"
#include "core/sample_sink.h"
#include "dataplane/attachment.h"
#include "dataplane/selection_program.h"
#include "oneway/method.h"
#include "pipeline/kernel_rtt.h"

namespace sojourn {

struct KernelPointOptions {
  std::string interface;
  OnewayOptions oneway;
  std::optional<KernelRttOptions> rtt = {};  ///< empty: no round trips
  std::size_t ring_bytes = std::size_t{4} << 20;
};

/// Which of the options the kernel does not support, in one line; empty if it supports all.
std::string beyond_the_kernel(const OnewayOptions& options);

/// Returns selected packets, and those about which only user space can decide, each as the
/// beginning of its frame.  The next stage selects once more, and treats them like packets from a
/// socket.
class KernelPoint final : public Source {
 public:
  /// Loads the programs and attaches them.  Privileges are needed here and nowhere else.
  static Result<std::unique_ptr<KernelPoint>> open(const KernelPointOptions& options);

  /// Waits some milliseconds if nothing came.
  Filled next(std::span<Packet> batch) override;
  bool bytes_stay() const override { return false; }
  /// `packets` counts all packets that the program has seen.
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

  /// As of the last `next`: packets that were seen and stayed in the kernel.
  std::uint64_t not_selected() const { return not_selected_; }
  std::uint64_t undecided() const { return program_.counters().undecided; }
  /// Round trips that the last `next` found.
  std::span<const Sample> samples() const { return samples_.samples(); }
  std::uint64_t samples_missed() const { return rtt_ ? rtt_->counters().unread : 0; }
  /// "tc (tcx)".
  const std::string& how() const { return attached_->how(); }

 private:
  explicit KernelPoint(SelectionProgram program) : program_(std::move(program)) {}

  void read_ring(std::span<Packet> batch, std::size_t& count);
  void look_after();

  SelectionProgram program_;
  std::optional<Attachment> attached_;
  std::optional<KernelRtt> rtt_;
  std::vector<std::byte> bytes_;  ///< of the packets of a batch
  KeptSamples samples_;
  SourceCounters counters_;
  std::uint64_t not_selected_ = 0;
  std::int64_t looked_ns_ = 0;
  bool gone_ = false;
};

}  // namespace sojourn
