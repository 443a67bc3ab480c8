#include "capture/live/packet_ring.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>

namespace sojourn {

Result<PacketRing> PacketRing::open(const UniqueFd& socket, std::size_t bytes) {
  const int version = TPACKET_V3;
  if (::setsockopt(socket.get(), SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0)
    return failure(std::string{"the kernel has no TPACKET_V3: "} + std::strerror(errno));

  if (::setsockopt(socket.get(), SOL_PACKET, PACKET_RESERVE, &headroom, sizeof headroom) != 0)
    return failure(std::string{"cannot reserve room for VLAN tags: "} + std::strerror(errno));

  tpacket_req3 request{};
  request.tp_block_size = block_size;
  request.tp_block_nr =
      static_cast<unsigned>(std::clamp<std::size_t>(bytes / block_size, 2, 65'536));
  // Version 3 allocates what each packet needs; the frame size is only checked.
  request.tp_frame_size = 2048;
  request.tp_frame_nr = request.tp_block_size / request.tp_frame_size * request.tp_block_nr;
  request.tp_retire_blk_tov = retire_timeout_ms;
  if (::setsockopt(socket.get(), SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0)
    return failure(std::string{"no memory for the packet ring: "} + std::strerror(errno));

  const std::size_t size = std::size_t{request.tp_block_nr} * block_size;
  void* const begin =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, socket.get(), 0);
  if (begin == MAP_FAILED)
    return failure(std::string{"cannot map the packet ring: "} + std::strerror(errno));
  return PacketRing{static_cast<std::byte*>(begin), request.tp_block_nr};
}

PacketRing::PacketRing(PacketRing&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)),
      blocks_(other.blocks_),
      current_(other.current_) {}

PacketRing::~PacketRing() {
  if (begin_ != nullptr) ::munmap(begin_, blocks_ * block_size);
}

tpacket_block_desc* PacketRing::block() const {
  return reinterpret_cast<tpacket_block_desc*>(begin_ + current_ * block_size);
}

tpacket_block_desc* PacketRing::ready_block() const {
  // The kernel writes the packets first and the status last; acquire keeps us in that order.
  std::atomic_ref status{block()->hdr.bh1.block_status};
  return status.load(std::memory_order_acquire) & TP_STATUS_USER ? block() : nullptr;
}

void PacketRing::release() {
  std::atomic_ref status{block()->hdr.bh1.block_status};
  status.store(TP_STATUS_KERNEL, std::memory_order_release);
  current_ = (current_ + 1) % blocks_;
}

}  // namespace sojourn
