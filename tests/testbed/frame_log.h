#pragma once
// The truth: the fate of every frame, and when, as a CSV file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "tests/testbed/link_model.h"

namespace sojourn::testbed {

inline constexpr std::array<std::string_view, 2> direction_names = {"forward", "backward"};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Fate::count_)> fate_names = {
    "forwarded", "reordered", "duplicated", "lost", "queue_drop", "unsent", "no_room"};

/// Columns: direction,fate,in_ns,planned_ns,out_ns,done_ns,length,head
///
/// in_ns is the kernel's timestamp on reception, planned_ns when the link model released the frame,
/// out_ns the clock directly before it was passed to the kernel (empty if it never was), done_ns
/// the clock directly after: it passed the next interface in between.  head is the frame's first
/// 112 bytes in hexadecimal: enough for IPv6 with a full TCP header or an NTP packet.  Rows are in
/// order of out_ns, a lost frame's where it was lost.
///
/// Rows wait in memory, so that a slow disk delays no frame; call write_some() in idle moments.
class FrameLog {
 public:
  /// With an empty path nothing is logged.
  static Result<FrameLog> open(const std::string& path);

  void sent(std::size_t direction, Fate fate, Timestamp in, Timestamp planned, Timestamp out,
            Timestamp done, std::span<const std::byte> frame, std::size_t length);
  void dropped(std::size_t direction, Fate fate, Timestamp in, std::span<const std::byte> frame,
               std::size_t length);

  bool has_rows() const { return written_ < rows_.size(); }
  void write_some(std::size_t rows);
  Result<void> close();

 private:
  static constexpr std::size_t head_bytes = 112;
  struct Row {
    std::int64_t in_ns, planned_ns, out_ns, done_ns;  // out_ns < 0: never
    std::uint32_t length;
    std::uint8_t direction, head_size;
    Fate fate;
    std::array<std::uint8_t, head_bytes> head;
  };
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void add(Row row, std::span<const std::byte> frame);

  std::unique_ptr<std::FILE, Closer> file_;
  std::vector<Row> rows_;
  std::size_t written_ = 0;
};

}  // namespace sojourn::testbed
