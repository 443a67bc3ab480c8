#pragma once
// The secret that all points of a network share: which packets are selected depends on it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"
#include "oneway/label_options.h"

namespace sojourn {

/// Both are truncated SHA-256 hashes of the secret with different prefixes.  The fingerprint is
/// sent, and reveals nothing about the init value, which is not.
struct PointSecret {
  std::uint32_t init = LabelOptions{}.init;
  std::uint64_t fingerprint = 0;  ///< 0: the public init value of RFC 5475's examples

  static constexpr std::size_t least_bytes = 16, most_bytes = 4'096;

  static PointSecret of(std::span<const std::byte> secret);
  /// A file of at least 16 bytes; a newline at its end is ignored.
  static Result<PointSecret> read(const std::string& path);
};

}  // namespace sojourn
