#pragma once
// What a TCP packet indicates about loss.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sojourn {

/// What is counted.  The first two are the denominators of the shares.
enum class LossSign : std::uint8_t {
  segment,        ///< carries data, SYN or FIN; no keep-alive
  packet,         ///< any packet of TCP
  retransmitted,  ///< bytes that passed here before; if they were lost, then behind the capture
  spurious,       ///< of these, those acknowledged here before: not lost
  late,           ///< a segment that fills a hole after an RTT or more: lost before the capture
  reordered,      ///< a segment that fills a hole at once: overtaken before the capture
  duplicate_ack,  ///< repeats the acknowledgment before it, while data is on the way
  zero_window,    ///< its sender's receive buffer is full
  reset,          ///< RST
  count_
};

inline constexpr std::size_t loss_sign_count = static_cast<std::size_t>(LossSign::count_);
inline constexpr std::array<std::string_view, loss_sign_count> loss_sign_names = {
    "segments",  "packets",        "retransmitted", "spurious", "late",
    "reordered", "duplicate-acks", "zero-windows",  "resets"};

constexpr std::size_t index_of(LossSign sign) { return static_cast<std::size_t>(sign); }
constexpr std::string_view name_of(LossSign sign) { return loss_sign_names[index_of(sign)]; }

/// The base of its share: segments or packets.
constexpr LossSign base_of(LossSign sign) {
  return sign >= LossSign::retransmitted && sign <= LossSign::reordered ? LossSign::segment
                                                                        : LossSign::packet;
}

}  // namespace sojourn
