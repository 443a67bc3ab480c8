#pragma once
// One interface, frame by frame: received through a ring shared with the kernel, sent by send().

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/result.h"
#include "core/time.h"

namespace sojourn::testbed {

struct ReceivedFrame {
  Timestamp arrived;  ///< the kernel's stamp, CLOCK_REALTIME
  std::span<const std::byte> bytes;
  std::uint32_t length = 0;  ///< on the wire; more than bytes.size() if it did not fit the ring
};

/// An AF_PACKET socket that receives every incoming frame of an interface, and none it sent itself.
class PacketPort {
 public:
  static Result<PacketPort> open(const std::string& interface);

  PacketPort(PacketPort&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        ring_(std::exchange(other.ring_, nullptr)),
        next_(other.next_) {}
  PacketPort& operator=(PacketPort&&) = delete;
  ~PacketPort();

  /// The oldest frame in the ring.  Its bytes are ours until release().
  std::optional<ReceivedFrame> receive() const;
  void release();

  bool send(std::span<const std::byte> frame) const;

  int descriptor() const { return descriptor_; }
  std::uint32_t kernel_drops() const;  ///< since the last call

 private:
  explicit PacketPort(int descriptor) : descriptor_(descriptor) {}
  std::byte* slot() const;

  int descriptor_;
  std::byte* ring_ = nullptr;
  std::size_t next_ = 0;
};

}  // namespace sojourn::testbed
