#pragma once
// What is kept of a flow's identity: enough to tell groups of flows apart and to count flows.

#include <cstdint>

namespace sojourn {

/// 11 bits of a flow's hash.  All samples of a flow have the same.
class FlowTag {
 public:
  static constexpr unsigned groups = 32;
  static constexpr unsigned marks = 64;  ///< in each group

  /// `flow` is a hash of whatever makes samples alike: of a connection, of a pair of hosts.  The
  /// multiplication takes bits that whoever splits work by the low bits has not used.
  static constexpr FlowTag of(std::uint64_t flow) {
    return FlowTag{static_cast<std::uint16_t>((flow * 0x9e3779b97f4a7c15u) >> 53)};
  }
  /// The same from a small number, for samples each of which is a flow of its own.
  static constexpr FlowTag numbered(std::uint64_t number) {
    std::uint64_t z = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;  // splitmix64
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return of(z ^ (z >> 31));
  }

  constexpr FlowTag() = default;
  constexpr unsigned group() const { return bits_ % groups; }
  constexpr unsigned mark() const { return bits_ / groups; }

 private:
  constexpr explicit FlowTag(std::uint16_t bits) : bits_(bits) {}
  std::uint16_t bits_ = 0;
};

}  // namespace sojourn
