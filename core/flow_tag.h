#pragma once
// A small part of a flow's identity: enough to separate groups of flows and to count flows.

#include <cstdint>

namespace sojourn {

/// 11 bits of a flow's hash, the same for all samples of a flow.
class FlowTag {
 public:
  static constexpr unsigned groups = 32;
  static constexpr unsigned marks = 64;  ///< in each group

  /// `flow` is a hash of what correlated samples share: a connection, a pair of hosts.  The
  /// multiplication uses other bits than the low ones, by which threads split the work.
  static constexpr FlowTag of(std::uint64_t flow) {
    return FlowTag{static_cast<std::uint16_t>((flow * 0x9e3779b97f4a7c15u) >> 53)};
  }
  /// The same from a small number, for samples that are each their own flow.
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
