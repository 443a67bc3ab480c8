#include "export/rtt/report_groups.h"

#include <unordered_set>
#include <utility>

namespace sojourn {
namespace {

using Group = Measurement::Group;

class Shown {
 public:
  Shown(const Measurement& measurement, std::size_t top) : measurement_(measurement), top_(top) {}

  void add(const GroupKey& key, const std::string& label, Kind kind, Leg leg) {
    const Distribution* const delays = measurement_.find_group({key, kind, leg});
    if (delays) add({label, key, kind, leg, delays});
  }
  void add(Group group) {
    if (groups_.size() < top_ && there_.insert(group.distribution).second)
      groups_.push_back(std::move(group));
  }
  std::vector<Group> take() && { return std::move(groups_); }

 private:
  const Measurement& measurement_;
  std::size_t top_;
  std::vector<Group> groups_;
  std::unordered_set<const Distribution*> there_;
};

}  // namespace

std::vector<Group> report_groups(const RttReport& report) {
  const Measurement& measurement = *report.measurement;
  const bool by_change = report.sort == GroupOrder::change && report.changes;
  const bool by_loss = report.sort == GroupOrder::lost && report.loss;
  if (!by_change && !by_loss) return measurement.groups_by(report.sort, report.top);
  Shown shown{measurement, report.top};
  if (by_change)
    for (const GroupChange& change : report.changes->shown)
      shown.add(change.key, change.label, change.kind, change.leg);
  if (by_loss)
    for (const LossTally::Row& row : report.loss->groups(report.top, true))
      for (const Kind kind : {Kind::tcp, Kind::tcp_ts, Kind::handshake})
        shown.add(row.key, row.label, kind, row.leg);
  for (Group& group : measurement.groups_by(GroupOrder::samples, 2 * report.top))
    shown.add(std::move(group));
  return std::move(shown).take();
}

}  // namespace sojourn
