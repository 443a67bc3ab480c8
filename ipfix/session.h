#pragma once
// One peer's templates, and his messages read by them.
//
//     Session session;
//     const Decoded decoded = session.decode(message, report);

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "collector/report/point_report.h"
#include "ipfix/message.h"
#include "ipfix/record_plan.h"
#include "ipfix/trouble.h"

namespace sojourn::ipfix {

/// What is known of a message besides its content.
struct Decoded {
  MessageHeader header;
  bool framed = false;        ///< version and length are right: a stream can go on behind it
  bool counted = true;        ///< `data_records` are all: no set was without template or cut
  bool from_a_point = false;  ///< it said whose it is
  std::uint32_t data_records = 0;
};

struct SessionOptions {
  Limits limits = {};
  std::uint32_t enterprise = default_enterprise;
};

/// Whatever the bytes are, it ends with a report and counters.  Memory is bounded by the limits.
class Session {
 public:
  explicit Session(const SessionOptions& options = {}) : options_(options) {}

  /// `message` is one message, as its header's length says.  `report` is emptied first; its lists
  /// keep their room for the next message.
  Decoded decode(std::span<const std::byte> message, PointReport& report);

  const TroubleCounters& troubles() const { return troubles_; }
  std::size_t templates() const;

 private:
  using Templates = std::unordered_map<std::uint16_t, RecordPlan>;

  bool read_sets(std::span<const std::byte> rest, Decoded& decoded, PointReport& report);
  void read_templates(std::span<const std::byte> set, std::uint32_t domain, bool options);
  void withdraw(std::uint16_t id, std::uint32_t domain, bool options);
  void learn(Template announced, std::uint32_t domain);
  void read_data(std::span<const std::byte> set, std::uint16_t id, Decoded& decoded,
                 PointReport& report);
  template <class Values, class TakeValues>
  std::optional<std::size_t> read_values(const RecordPlan& plan, std::span<const std::byte> set,
                                         TakeValues take);
  void refuse_strange_counts(PointReport& report);
  void refuse_bad_cells(std::vector<RttCell>& cells, std::size_t from);

  SessionOptions options_;
  std::unordered_map<std::uint32_t, Templates> domains_;
  std::size_t fields_ = 0;
  TroubleCounters troubles_;
};

}  // namespace sojourn::ipfix
