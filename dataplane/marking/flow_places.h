#pragma once
// Where flows are counted, such that none has to be searched for.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sojourn {

/// Keys that a flow is told by; a flow may have several.
struct TaggedFlow {
  std::uint64_t tag = 0;
  std::uint32_t flow = 0;
};

/// A place for every tag, no two the same: hash and displace (Belazzougui, Botelho, Dietzfelbinger
/// 2009).  Tags that share a displacement are placed together, those that are many first; the first
/// displacement is taken that leads all of them to free places.
struct FlowPlaces {
  std::vector<TaggedFlow> places;            ///< tag 0: free
  std::vector<std::uint64_t> displacements;  ///< four in a word (mk_displacement)

  std::uint32_t displacement_count() const {
    return static_cast<std::uint32_t>(4 * displacements.size());
  }
  /// Of equal tags the first counts.
  static FlowPlaces of(std::span<const TaggedFlow> flows);

 private:
  static std::optional<FlowPlaces> with(std::span<const TaggedFlow> flows, std::size_t room);
};

}  // namespace sojourn
