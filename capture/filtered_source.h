#pragma once
// Only the packets that a filter expression accepts.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture_log.h"
#include "capture/packet_filter.h"
#include "capture/source.h"

namespace sojourn {

/// Passes on the packets that the expression accepts and counts the rest in `filtered`.
///
/// `packets`, `bytes` and `backward_times` count the packets passed on.  If the expression cannot
/// be compiled for a link type ("vlan" on raw IP), it accepts no packet of it, and a warning says
/// so.
class FilteredSource final : public Source {
 public:
  /// Fails if the expression is invalid.  It is checked for Ethernet, before the first packet.
  static Result<std::unique_ptr<Source>> open(std::unique_ptr<Source> source,
                                              const std::string& expression);

  Filled next(std::span<Packet> batch) override;
  bool bytes_stay() const override { return source_->bytes_stay(); }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return warnings_; }
  double progress() const override { return source_->progress(); }

 private:
  struct ForLink {
    LinkType link;
    Result<PacketFilter> filter;
  };

  FilteredSource(std::unique_ptr<Source> source, const std::string& expression)
      : source_(std::move(source)), expression_(expression) {}

  const ForLink& for_link(LinkType link);
  bool accepts(const Packet& packet);
  void sum_up();

  std::unique_ptr<Source> source_;
  std::string expression_;
  std::vector<ForLink> filters_;  ///< nearly always one
  std::size_t current_ = 0;       ///< the one for the last packet
  SourceCounters counters_;       ///< `packets` and the like are our own, the rest is the source's
  std::vector<std::string> warnings_;
  std::size_t warnings_seen_ = 0;
  PacketTally tally_;
};

}  // namespace sojourn
