#pragma once
// The program and an interface, for as long as this object lives.

#include <cstdint>
#include <string>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"
#include "dataplane/kernel_program.h"

namespace sojourn {

struct AttachmentPoint {
  std::string interface;
  int index = 0;
  /// Every packet passes a loopback twice; only its arrival is looked at.
  bool loopback = false;
};

/// Which packets meet a program at tc.
enum class TcDirection : std::uint8_t { ingress = 1, egress = 2, both = 3 };

/// A program attached to an interface.  Programs of others stay; ours are removed when the process
/// ends.
///
/// tc: tcx links (Linux 6.6), which the kernel removes when the process ends in any way.  Older
/// kernels have filters below a clsact qdisc, which would stay; a child process removes them when
/// this one ends, and also the qdisc if it is ours and empty.  XDP: a link in the driver, else the
/// generic one.  A foreign XDP program is left alone: there is room for one only.
class Attachment {
 public:
  static Result<Attachment> attach(const KernelProgram& program, const AttachmentPoint& point,
                                   Hook hook);
  /// Any program of tc, by its descriptor.
  static Result<Attachment> attach_tc(int program, const AttachmentPoint& point,
                                      TcDirection direction);
  /// As on a kernel without tcx.
  static Result<Attachment> attach_by_clsact(int program, const AttachmentPoint& point,
                                             TcDirection direction);
  static Result<Attachment> attach_by_clsact(const KernelProgram& program,
                                             const AttachmentPoint& point) {
    return attach_by_clsact(program.descriptor(), point, TcDirection::both);
  }

  /// "tc (tcx)", "tc (clsact)", "xdp (native)", "xdp (generic)".
  const std::string& how() const { return how_; }
  const AttachmentPoint& point() const { return point_; }
  /// Has the interface been removed since?
  bool is_gone() const;

 private:
  Attachment(AttachmentPoint point, std::string how)
      : point_(std::move(point)), how_(std::move(how)) {}

  AttachmentPoint point_;
  std::string how_;
  std::vector<UniqueFd> links_;
  UniqueFd cleaner_;  ///< while it is open, the child waits
};

/// The kernel measures its programs' time while this is open; it costs some nanoseconds a packet.
UniqueFd measure_run_time();

}  // namespace sojourn
