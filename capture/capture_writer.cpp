#include "capture/capture_writer.h"

#include <array>
#include <cstring>
#include <utility>

namespace sojourn {
namespace {

constexpr std::size_t block_bytes = 1 << 20;

}  // namespace

CaptureWriter::CaptureWriter(Take take, LinkType link, std::uint32_t snap_length)
    : take_(std::move(take)), block_(block_bytes) {
  // draft-ietf-opsawg-pcap section 4: magic of nanosecond files, version 2.4, two unused words.
  const std::array<std::uint32_t, 6> header = {
      0xa1b23c4d, 2 | 4u << 16, 0, 0, snap_length, static_cast<std::uint32_t>(link)};
  put(header.data(), sizeof header);
}

void CaptureWriter::write(Timestamp time, std::span<const std::byte> bytes, std::uint32_t length) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t ns = to_ns(time);
  const std::array<std::uint32_t, 4> header = {static_cast<std::uint32_t>(ns / second),
                                               static_cast<std::uint32_t>(ns % second),
                                               static_cast<std::uint32_t>(bytes.size()), length};
  put(header.data(), sizeof header);
  put(bytes.data(), bytes.size());
}

void CaptureWriter::put(const void* bytes, std::size_t size) {
  if (size > block_.size() - used_) flush();
  if (size > block_.size()) block_.resize(size);
  if (size > 0) std::memcpy(block_.data() + used_, bytes, size);
  used_ += size;
}

void CaptureWriter::flush() {
  take_({block_.data(), used_});
  used_ = 0;
}

}  // namespace sojourn
