#pragma once
// Summaries of all packets of a source, for callers that pair them in their own way.

#include <cstdint>
#include <span>
#include <vector>

#include "capture/source.h"
#include "core/hash.h"
#include "core/kind.h"
#include "pipeline/copy_filter.h"
#include "wire/parser.h"

namespace sojourn {

/// Only of packets that `kinds` can use, without copies, as in a run of rtt.
///
/// `take(batch, packets)` gets each batch and the number of packets read for it, used or not; it
/// returns whether it wants more.  A summary points into its packet, so it is valid until `take`
/// returns.  Returns true if the source reached its end and `take` wanted all of it.
template <class Take>
bool read_summaries(Source& source, KindSet kinds, std::uint64_t seed, Take take) {
  constexpr std::size_t batch_size = 128;
  Parser parser{HashKey::from_seed(seed), kinds};
  CopyFilter copies{HashKey::from_seed(seed)};
  std::vector<Packet> packets(batch_size);
  std::vector<Summary> summaries(batch_size);
  std::uint32_t index = 0;  // in the capture; it may wrap, as in the pipeline
  for (bool end = false; !end;) {
    const Source::Filled filled = source.next(packets);
    end = filled.end;
    const std::size_t count = parser.summarize({packets.data(), filled.count}, summaries, index);
    index += static_cast<std::uint32_t>(filled.count);
    if (!take(copies.remove({summaries.data(), count}), filled.count)) return false;
  }
  return true;
}

}  // namespace sojourn
