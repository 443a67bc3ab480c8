#pragma once
// Bytes that arrive in order, not all at once: from a pipe or a decompressor.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "capture/files/byte_input.h"
#include "capture/unique_fd.h"

namespace sojourn {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  enum class Status { more, end, idle, interrupted };
  struct Got {
    std::size_t size = 0;
    Status status = Status::more;
  };

  /// Writes some bytes to the front of `room`; none only if `more` is over.
  virtual Got read(std::span<std::byte> room) = 0;
  virtual double progress() const = 0;
  /// Set when the stream ended because of damage or a failed read.
  virtual const std::string& trouble() const = 0;
};

/// Reads a pipe, or any other file that cannot be mapped.  Waits 100 ms at most.
std::unique_ptr<ByteStream> stream_from(UniqueFd file);
/// Delivers `chunk` bytes at a time, so that tests and fuzzing cover the edges of a window.
std::unique_ptr<ByteStream> stream_from(std::span<const std::byte> bytes, std::size_t chunk);

/// RFC 1952, including several members in a row.
std::unique_ptr<ByteStream> gzip_stream(std::unique_ptr<ByteInput> compressed);
/// RFC 8878, including several frames.
std::unique_ptr<ByteStream> zstd_stream(std::unique_ptr<ByteInput> compressed);

/// Small enough to stay in the second-level cache between decompression and decoding.
inline constexpr std::size_t usual_capacity = 512 * 1024;

/// A bounded buffer over a stream; it grows only when one packet does not fit.
std::unique_ptr<ByteInput> buffered(std::unique_ptr<ByteStream> stream,
                                    std::size_t capacity = usual_capacity);

}  // namespace sojourn
