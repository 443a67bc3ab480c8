#pragma once
// What FRIDGE section 5 says of its border link, and what had to be chosen so that it comes out; for BorderMix and
// BorderFlowsTrace alike.

namespace sojourn::border {

/// Shares of all packets: data of flows that are seen both ways, data whose ACKs come back elsewhere (together 61 %),
/// and ACKs whose data went elsewhere.
inline constexpr double data_both_ways = 0.41, data_only = 0.20, acks_only = 0.31;
inline constexpr double scanning_flows = 0.2;  ///< a single SYN each
inline constexpr double jitter = 0.05;         ///< of a flow's pairs around its round-trip time

}  // namespace sojourn::border
