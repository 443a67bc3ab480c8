#pragma once
// Requirements for every trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "lab/request_trace.h"

namespace sojourn {

/// In order, requests before responses, and the truth is what an observer without timeout finds.
inline void expect_consistent(const RequestTrace& trace) {
  EXPECT_TRUE(std::ranges::is_sorted(trace.events, {}, &TraceEvent::ns));
  std::unordered_map<std::uint32_t, std::int64_t> waiting;
  std::vector<std::int64_t> found;
  std::size_t requests = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.is_request) {
      ++requests;
      EXPECT_TRUE(waiting.emplace(event.id, event.ns).second);
    } else if (const auto asked = waiting.find(event.id); asked != waiting.end()) {
      found.push_back(event.ns - asked->second);
      waiting.erase(asked);
    }
  }
  std::ranges::sort(found);
  EXPECT_EQ(requests, trace.requests);
  EXPECT_TRUE(found == trace.delays_ns);
}

}  // namespace sojourn
