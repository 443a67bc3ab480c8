#pragma once
// The block-structured capture format, draft-ietf-opsawg-pcapng.

#include <cstddef>
#include <memory>
#include <vector>

#include "capture/capture_log.h"
#include "capture/decoder.h"
#include "capture/files/byte_order.h"
#include "capture/files/time_scale.h"

namespace sojourn {

/// Whether a capture that begins with these bytes claims to be pcapng.  Needs four bytes.
bool is_pcapng(const std::byte* begin);

/// Reads sections of either byte order and packets of any number of interfaces.
///
/// A block with a wrong length (or whose repeated length at its end differs) ends the reading,
/// because the start of the next block is unknown.  A block with wrong contents is counted and
/// skipped.  Blocks other than packets need no memory, however long they are.
class PcapngDecoder final : public Decoder {
 public:
  /// `begin`: the first bytes of the capture, at least `section_header_size` of them.
  static Result<std::unique_ptr<Decoder>> make(std::span<const std::byte> begin, CaptureLog& log);
  static constexpr std::size_t section_header_size = 28;

  explicit PcapngDecoder(CaptureLog& log) : log_(log) {}

  Step decode(Window window, std::span<Packet> batch) override;

 private:
  struct Interface {
    TimeScale scale;
    std::uint32_t link_number = 0;
    std::uint32_t snap_length = 0;  ///< 0: no limit
    LinkType link = LinkType::ethernet;
    bool supported = false;
    std::uint8_t number = 0;  ///< for Packet::interface
  };

  /// A whole block with checked lengths: `size` counts everything from type to trailing length.
  struct Block {
    const std::byte* begin;
    std::uint32_t type;
    std::uint32_t size;
  };

  enum class Found { block, nothing_yet, damage };

  Found find_block(Window& window, Block& block, std::size_t& wanted);
  Found damage(const std::string& what);
  bool begin_section(const Block& block);
  void describe_interface(const Block& block);
  void read_options(const Block& block, Interface& interface, std::string& name);
  bool read_packet(const Block& block, Packet& packet);
  bool read_simple_packet(const Block& block, Packet& packet);
  const Interface* readable_interface(std::uint32_t index);
  void bad_block(const std::string& what);
  void cut();

  template <std::unsigned_integral Integer>
  Integer read(const std::byte* at) const {
    return load<Integer>(at, swapped_);
  }

  CaptureLog& log_;
  std::vector<Interface> interfaces_;
  PacketTally tally_;
  std::uint64_t packets_met_ = 0;   ///< including those left out: the number Wireshark shows
  std::uint64_t left_to_skip_ = 0;  ///< of a block that is skipped
  std::uint32_t trailer_due_ = 0;   ///< trailing length that the skipped block must have; 0: none
  bool swapped_ = false;
  bool warned_of_link_ = false;
  bool warned_of_time_ = false;
};

}  // namespace sojourn
