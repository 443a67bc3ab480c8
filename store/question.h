#pragma once
// Questions to a store, and its answers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/address.h"
#include "estimate/distribution/distribution.h"
#include "naming/group_choice.h"
#include "store/loss_estimate.h"
#include "store/store.h"

namespace sojourn {

/// What a row represents.
enum class GroupBy : std::uint8_t {
  prefix,  ///< prefixes of `prefix_length`
  port,    ///< the server's, if ports or flows are stored
  flow,    ///< if they are stored
  stored,  ///< whatever is stored
};

struct Question {
  Timestamp from{}, to{};
  std::vector<std::string> subjects;  ///< segments "north:south" and points; empty: all
  /// A row per prefix, at most this long (IPv6: twice that), and at most as long as stored.
  std::optional<std::size_t> prefix_length;
  GroupBy by = GroupBy::prefix;  ///< others than prefixes need no length
  std::optional<Prefix> within;  ///< only groups within this one
  /// As a prefix_length: whole addresses, if kept.
  static constexpr std::size_t as_stored = GroupChoice::host;
  bool loss = false;
  std::size_t columns = 24;  ///< of the series over time

  /// A row per group, by a number that GroupChoice has.
  void group_by(std::size_t choice) {
    by = choice == GroupChoice::port   ? GroupBy::port
         : choice == GroupChoice::flow ? GroupBy::flow
                                       : GroupBy::prefix;
    prefix_length = by == GroupBy::prefix ? choice : as_stored;
  }
};

/// The delays of a segment or point, of one kind and leg, of all traffic or of a prefix.
struct AnswerRow {
  std::string subject;
  std::uint8_t measure = 0;
  std::uint8_t leg = 0;
  std::optional<Prefix> prefix;  ///< nullopt: all traffic
  Distribution delays;
  std::optional<LossEstimate> loss;
  std::vector<std::optional<Duration>> course;  ///< mean delay in each column of time
};

struct AnswerSubject {
  std::string name;
  std::optional<SegmentClock> clock;
  std::optional<Timestamp> newest;  ///< end of its newest slice
  std::vector<AnswerRow> rows;      ///< per kind and leg: all traffic, then prefixes by weight
};

struct Answer {
  Timestamp from{}, to{};
  StoreAge age;  ///< losses are those of packets sent before its `judged_until`
  std::vector<AnswerSubject> subjects;
};

Result<Answer> ask(Store& store, const Question& question);

}  // namespace sojourn
