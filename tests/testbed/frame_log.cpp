#include "tests/testbed/frame_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace sojourn::testbed {

Result<FrameLog> FrameLog::open(const std::string& path) {
  FrameLog log;
  if (path.empty()) return log;
  log.file_.reset(std::fopen(path.c_str(), "w"));
  if (!log.file_) return failure("cannot write " + path + ": " + std::strerror(errno));
  std::fputs("direction,fate,in_ns,planned_ns,out_ns,done_ns,length,head\n", log.file_.get());
  log.rows_.reserve(1 << 16);
  return log;
}

void FrameLog::add(Row row, std::span<const std::byte> frame) {
  if (!file_) return;
  const auto head = frame.first(std::min(frame.size(), head_bytes));
  std::memcpy(row.head.data(), head.data(), head.size());
  row.head_size = static_cast<std::uint8_t>(head.size());
  rows_.push_back(row);
}

void FrameLog::sent(std::size_t direction, Fate fate, Timestamp in, Timestamp planned,
                    Timestamp out, Timestamp done, std::span<const std::byte> frame,
                    std::size_t length) {
  add({.in_ns = to_ns(in),
       .planned_ns = to_ns(planned),
       .out_ns = to_ns(out),
       .done_ns = to_ns(done),
       .length = static_cast<std::uint32_t>(length),
       .direction = static_cast<std::uint8_t>(direction),
       .head_size = 0,
       .fate = fate,
       .head = {}},
      frame);
}

void FrameLog::dropped(std::size_t direction, Fate fate, Timestamp in,
                       std::span<const std::byte> frame, std::size_t length) {
  add({.in_ns = to_ns(in),
       .planned_ns = -1,
       .out_ns = -1,
       .done_ns = -1,
       .length = static_cast<std::uint32_t>(length),
       .direction = static_cast<std::uint8_t>(direction),
       .head_size = 0,
       .fate = fate,
       .head = {}},
      frame);
}

void FrameLog::write_some(std::size_t rows) {
  fmt::memory_buffer text;
  const auto end = std::min(rows_.size(), written_ + rows);
  for (; written_ < end; ++written_) {
    const Row& row = rows_[written_];
    fmt::format_to(std::back_inserter(text), "{},{},{},", direction_names[row.direction],
                   fate_names[static_cast<std::size_t>(row.fate)], row.in_ns);
    if (row.out_ns >= 0)
      fmt::format_to(std::back_inserter(text), "{},{},{}", row.planned_ns, row.out_ns, row.done_ns);
    else
      fmt::format_to(std::back_inserter(text), ",,");
    fmt::format_to(std::back_inserter(text), ",{},", row.length);
    for (std::size_t i = 0; i < row.head_size; ++i)
      fmt::format_to(std::back_inserter(text), "{:02x}", row.head[i]);
    text.push_back('\n');
  }
  std::fwrite(text.data(), 1, text.size(), file_.get());
  if (written_ == rows_.size()) {
    rows_.clear();
    written_ = 0;
  }
}

Result<void> FrameLog::close() {
  if (!file_) return {};
  write_some(rows_.size());
  const bool failed = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || failed)
    return failure("cannot write the log to its end");
  return {};
}

}  // namespace sojourn::testbed
