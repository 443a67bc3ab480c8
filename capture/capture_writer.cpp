#include "capture/capture_writer.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace sojourn {
namespace {

constexpr std::size_t block_bytes = 1 << 20;

}  // namespace

CaptureWriter::CaptureWriter(std::string path, std::FILE* file)
    : path_(std::move(path)), file_(file), block_(block_bytes) {}

Result<CaptureWriter> CaptureWriter::open(const std::string& path, LinkType link,
                                          std::uint32_t snap_length) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (!file) return failure("cannot write " + path + ": " + std::strerror(errno));
  CaptureWriter writer{path, file};
  // draft-ietf-opsawg-pcap section 4: magic of nanosecond files, version 2.4, two unused words.
  const std::array<std::uint32_t, 6> header = {
      0xa1b23c4d, 2 | 4u << 16, 0, 0, snap_length, static_cast<std::uint32_t>(link)};
  writer.put(header.data(), sizeof header);
  return writer;
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
  if (std::fwrite(block_.data(), 1, used_, file_.get()) != used_ && error_ == 0)
    error_ = errno == 0 ? EIO : errno;
  used_ = 0;
}

Result<void> CaptureWriter::finish() {
  flush();
  if (std::fflush(file_.get()) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) return failure("cannot write " + path_ + ": " + std::strerror(error_));
  return {};
}

}  // namespace sojourn
