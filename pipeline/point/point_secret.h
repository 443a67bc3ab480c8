#pragma once
// The secret that all points of a network share: which packets are selected depends on it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"
#include "oneway/label_options.h"

namespace sojourn {

/// Both are SHA-256 of the secret behind different words, cut: the fingerprint, which travels,
/// tells nothing about the init value, which does not.
struct PointSecret {
  std::uint32_t init = LabelOptions{}.init;
  std::uint64_t fingerprint = 0;  ///< 0: the public init value of RFC 5475's examples

  static constexpr std::size_t least_bytes = 16, most_bytes = 4'096;

  static PointSecret of(std::span<const std::byte> secret);
  /// A file of at least 16 bytes; a line's end behind them does not matter.
  static Result<PointSecret> read(const std::string& path);
};

}  // namespace sojourn
