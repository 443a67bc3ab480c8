#pragma once
// What FRIDGE section 5 states about its border link, and the parameters chosen to reproduce it;
// for all models of it.

namespace sojourn::border {

/// 10 million packets in 11.4 s, 61 % of them requests, 13 % of which are answered.
inline constexpr double seconds = 11.4, requests_a_second = 6'100'000 / seconds;
inline constexpr double answered = 0.13, responses_per_request = 39.0 / 61.0;

/// Shares of all packets: data of flows that are seen both ways, data whose ACKs come back
/// elsewhere (together 61 %), and ACKs whose data went elsewhere.
inline constexpr double data_both_ways = 0.41, data_only = 0.20, acks_only = 0.31;
inline constexpr double scanning_flows = 0.2;  ///< a single SYN each
inline constexpr double jitter = 0.05;         ///< of a flow's pairs around its round-trip time

}  // namespace sojourn::border
