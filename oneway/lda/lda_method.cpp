#include "oneway/lda/lda_method.h"

#include "oneway/label.h"
#include "oneway/lda/lda.h"

namespace sojourn {
namespace {

/// The sampling shares of the RLI paper's banks at 400 000 packets an interval; eight times the
/// buckets, since a capture is longer than its second.
LdaOptions whole_capture(std::uint64_t seed) { return {{{4096, 0.256}, {4096, 0.0128}}, seed}; }

class LdaMethod final : public OnewayMethod {
 public:
  explicit LdaMethod(const OnewayOptions& options)
      : label_(options.label),
        key_(HashKey::from_seed(options.seed)),
        first_(whole_capture(options.seed)),
        last_(whole_capture(options.seed)) {}

  void first(std::span<const IpPacket> batch) override { add(batch, first_); }
  void last(std::span<const IpPacket> batch) override { add(batch, last_); }
  OnewayResult finish() override;

 private:
  void add(std::span<const IpPacket> batch, LdaSketch& sketch) {
    for (const IpPacket& packet : batch)
      sketch.add(identity_of(packet, InvariantBytes{packet, label_}, key_), packet.time);
  }

  LabelOptions label_;
  HashKey key_;
  LdaSketch first_, last_;
};

OnewayResult LdaMethod::finish() {
  OnewayResult result;
  result.memory_bytes = first_.memory_bytes() + last_.memory_bytes();
  result.counters.emplace_back("buckets", first_.buckets().size());
  const auto estimate = lda_estimate(first_, last_);
  result.counters.emplace_back("buckets-undisturbed", estimate ? estimate->usable_buckets : 0);
  if (!estimate) {
    result.notes.emplace_back(
        "No bucket has the same packets at both points: too much loss, or different traffic.");
    return result;
  }
  TotalDelay total;
  total.packets = estimate->packets;
  total.mean_ns = estimate->mean_ns;
  total.stddev_ns = estimate->deviation_ns;
  result.total = total;
  return result;
}

}  // namespace

std::unique_ptr<OnewayMethod> make_lda(const OnewayOptions& options) {
  return std::make_unique<LdaMethod>(options);
}

}  // namespace sojourn
