#pragma once
// The receiver of the kernel, run in this process: the same headers, the other compiler.

#include <map>
#include <vector>

#include "dataplane/kernel/reference/gaps.h"
#include "dataplane/reference/reference_receiver.h"

namespace sojourn::test {

inline std::vector<rp_gap>* test_gaps = nullptr;

/// A record for each flow, as many as there are.
class UserReceiver {
 public:
  explicit UserReceiver(const ReferenceReceiverOptions& options)
      : config_(make_reference_config(options)), gaps_(RP_GAPS) {
    shared_.sender = options.sender ? *options.sender : RP_ANY_SENDER;
    shared_.is_sender_fixed = options.sender.has_value();
  }

  void packets(const FlowKey& key, Timestamp received, std::uint32_t bytes,
               std::uint32_t count = 1);
  void reference(std::uint16_t sender, std::uint32_t sequence, Timestamp sent, Timestamp received,
                 std::uint32_t bytes = 48);

  /// Flows begin anew, those until now are gone.
  void turn() {
    (void)rp_turn(&shared_);
    flows_.clear();
  }

  const rp_counters& counters() const { return counters_; }
  std::vector<ReferenceFlow> flows() const;
  rp_flow& record(const FlowKey& key) { return flows_[key]; }

 private:
  rp_config config_;
  rp_shared shared_{};
  rp_counters counters_{};
  std::vector<rp_gap> gaps_;
  std::map<FlowKey, rp_flow> flows_;
};

}  // namespace sojourn::test

DP_INLINE struct rp_gap* machine_gap(__u32 number) {
  return &(*sojourn::test::test_gaps)[number % RP_GAPS];
}

namespace sojourn::test {

inline void UserReceiver::packets(const FlowKey& key, Timestamp received, std::uint32_t bytes,
                                  std::uint32_t count) {
  test_gaps = &gaps_;
  rp_flow& flow = flows_[key];
  flow.flow = 1;
  counters_.packets += count;
  rp_packets_came(&flow, &counters_, shared_.current, static_cast<std::uint64_t>(to_ns(received)),
                  count, rp_size_ns(&config_, bytes));
}

inline void UserReceiver::reference(std::uint16_t sender, std::uint32_t sequence, Timestamp sent,
                                    Timestamp received, std::uint32_t bytes) {
  test_gaps = &gaps_;
  const rp_reference reference{static_cast<std::uint64_t>(to_ns(sent)),
                               static_cast<std::uint64_t>(to_ns(received)), sequence, sender,
                               rp_size_ns(&config_, bytes)};
  rp_reference_came(&shared_, &counters_, &reference);
}

inline std::vector<ReferenceFlow> UserReceiver::flows() const {
  std::vector<rp_group> groups;
  std::vector<rp_key> keys;
  for (const auto& [key, record] : flows_) {
    groups.push_back({{record, {}, {}, {}}});
    rp_key one{};
    std::ranges::copy(key.source.bytes(), one.source);
    std::ranges::copy(key.destination.bytes(), one.destination);
    one.source_port = __builtin_bswap16(key.source_port);
    one.destination_port = __builtin_bswap16(key.destination_port);
    one.protocol = key.protocol;
    one.is_ipv6 = key.source.version() == IpVersion::v6;
    keys.push_back(one);
    keys.resize(keys.size() + 3);
  }
  return reference_flows(groups, keys, gaps_, shared_.base_ns);
}

}  // namespace sojourn::test
