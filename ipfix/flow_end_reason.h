#pragma once
// Why a record ended, in the words of IPFIX and in ours.

#include "ipfix/elements.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn::ipfix {

constexpr FlowEndReason reason_of(Expiry expiry) {
  switch (expiry) {
    case Expiry::inactive:
      return FlowEndReason::idle_timeout;
    case Expiry::active:
      return FlowEndReason::active_timeout;
    case Expiry::closed:
      return FlowEndReason::end_of_flow;
    case Expiry::cache_full:
      return FlowEndReason::lack_of_resources;
    case Expiry::end_of_input:
    case Expiry::count_:
      break;
  }
  return FlowEndReason::forced_end;
}

/// What others send beyond the five becomes a forced end.
constexpr Expiry expiry_of(std::uint64_t reason) {
  switch (reason) {
    case 1:
      return Expiry::inactive;
    case 2:
      return Expiry::active;
    case 3:
      return Expiry::closed;
    case 5:
      return Expiry::cache_full;
    default:
      return Expiry::end_of_input;
  }
}

}  // namespace sojourn::ipfix
