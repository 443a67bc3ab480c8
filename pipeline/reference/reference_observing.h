#pragma once
// A point that learns its flows' delays from reference packets.

#include <cstdint>
#include <functional>
#include <string>

#include "dataplane/attachment.h"
#include "dataplane/reference/reference_receiver.h"
#include "dataplane/reference/reference_socket.h"
#include "store/references/reference_interval.h"

namespace sojourn {

class ReferenceObserving {
 public:
  /// Loads and attaches.
  static Result<ReferenceObserving> open(const AttachmentPoint& point,
                                         const ReferenceReceiverOptions& options);

  /// Delivers one interval after another, the last one shorter, until `ended` returns true; `ended`
  /// is called some 20 times a second.
  void run(Duration every, const std::function<bool()>& ended,
           const std::function<void(const ReferenceInterval&)>& take);

  rp_counters counters() const { return receiver_.counters(); }
  std::size_t memory_bytes() const { return receiver_.memory_bytes(); }
  std::string how() const { return attachment_.how(); }
  bool is_gone() const { return attachment_.is_gone(); }

 private:
  ReferenceObserving(ReferenceReceiver receiver, Attachment attachment, UniqueFd absorber)
      : receiver_(std::move(receiver)),
        attachment_(std::move(attachment)),
        absorber_(std::move(absorber)) {}

  ReferenceReceiver receiver_;
  Attachment attachment_;
  UniqueFd absorber_;
};

}  // namespace sojourn
