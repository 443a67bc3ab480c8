#pragma once
// The same flow records through libfixbuf, if it was there when this was built.

#include <cstdint>
#include <memory>
#include <span>

#include "oneway/cnf/flow_record.h"

namespace sojourn {

class FixbufBench {
 public:
  explicit FixbufBench(std::span<const FlowRecord> records);
  ~FixbufBench();

  bool available() const;
  /// All records into messages in memory; gives their number.
  std::uint64_t encode();
  /// And back.
  std::uint64_t decode();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sojourn
