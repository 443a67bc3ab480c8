#pragma once
// A point that sends reference packets into the queue of its interface.

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "dataplane/attachment.h"
#include "dataplane/reference/interface_counters.h"
#include "dataplane/reference/reference_sender.h"
#include "dataplane/reference/reference_socket.h"
#include "oneway/rli/reference_generator.h"

namespace sojourn {

struct ReferenceSendingOptions {
  ReferenceGenerator::Options generator;
  ReferenceDestination to;
  std::uint16_t sender = 1;
};

struct ReferenceSendingCounters {
  std::uint64_t packets = 0;     ///< regular ones that passed
  std::uint64_t references = 0;  ///< that got a time
  std::uint64_t unsent = 0;      ///< that the kernel rejected, or without a time
  int refusal = 0;               ///< errno of the last that the kernel rejected
  double utilisation = 0;        ///< adaptive: of the link
};

/// A reference packet that is due by the count of packets follows them after the time that this
/// process takes to wake up.  Its timestamp is that of its own way into the queue, so this costs no
/// accuracy.
class ReferenceSending {
 public:
  /// Loads, attaches, and requests a real-time priority for the thread: if it woke up late, it
  /// would miss the bursts that fill the queue.  Without permission it runs at normal priority.
  static Result<ReferenceSending> open(const AttachmentPoint& point,
                                       const ReferenceSendingOptions& options);

  /// Runs in a thread of its own until `stop`, which is checked some 20 times a second.
  std::thread start(const std::atomic<bool>& stop);

  /// Valid once that thread has ended.
  ReferenceSendingCounters counters() const;
  std::string destination() const { return socket_.destination(); }
  std::string how() const { return attachment_.how(); }
  bool is_gone() const { return attachment_.is_gone(); }

 private:
  ReferenceSending(const ReferenceSendingOptions& options, ReferenceSender sender,
                   ReferenceSocket socket, InterfaceCounters interface, Attachment attachment);
  void run(const std::atomic<bool>& stop);
  bool is_due(Timestamp now) const;
  void send(Timestamp now);
  void wait(Timestamp now);

  ReferenceSendingOptions options_;
  ReferenceGenerator generator_;
  ReferenceSender sender_;
  ReferenceSocket socket_;
  InterfaceCounters interface_;
  Attachment attachment_;
  std::uint32_t sequence_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t refused_ = 0;
  int refusal_ = 0;
};

}  // namespace sojourn
