#include "oneway/lda/lda.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sojourn {

LdaOptions LdaOptions::tuned(double packets_an_interval, std::size_t buckets) {
  const auto sampling = [&](double loss) {
    return std::min(1.0,
                    static_cast<double>(buckets) / (loss * std::max(1.0, packets_an_interval)));
  };
  const double for_much = std::min(0.5, sampling(0.10));
  const double for_little = std::min(1 - for_much, sampling(0.005));
  return {{{buckets, for_little}, {buckets, for_much}}, 0};
}

LdaSketch::LdaSketch(const LdaOptions& options) : key_(HashKey::from_seed(options.seed)) {
  double share = 0;
  std::size_t first = 0;
  for (const LdaBank& bank : options.banks) {
    share = std::min(1.0, share + bank.sampling);
    const auto below = share >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share * 0x1p64);
    limits_.push_back({below, first, std::max<std::size_t>(1, bank.buckets)});
    first += limits_.back().count;
  }
  buckets_.resize(first);
}

void LdaSketch::add(std::uint64_t label, Timestamp time) {
  const std::uint64_t hash = keyed_hash(key_, label, 0x1da);
  for (const Limit& limit : limits_) {
    if (hash > limit.below) continue;
    const std::uint64_t choice = keyed_hash(key_, label, 0xb0c4e7);
    const auto index =
        limit.first + static_cast<std::size_t>((choice & 0xffff'ffffu) * limit.count >> 32);
    const std::uint64_t sign = choice >> 63 ? 1 : ~std::uint64_t{0};
    const auto ns = static_cast<std::uint64_t>(to_ns(time));
    Bucket& bucket = buckets_[index];
    ++bucket.count;
    bucket.times += ns;
    bucket.signed_count += sign;
    bucket.signed_times += sign * ns;
    return;
  }
}

std::optional<LdaEstimate> lda_estimate(const LdaSketch& first, const LdaSketch& last) {
  assert(first.buckets().size() == last.buckets().size());
  LdaEstimate result;
  double delays = 0;
  const auto difference_of = [](std::uint64_t later, std::uint64_t earlier) {
    return static_cast<double>(static_cast<std::int64_t>(later - earlier));
  };
  const auto usable = [&](std::size_t i) {
    const LdaSketch::Bucket &a = first.buckets()[i], &b = last.buckets()[i];
    return a.count > 0 && a.count == b.count && a.signed_count == b.signed_count;
  };
  for (std::size_t i = 0; i < first.buckets().size(); ++i) {
    if (!usable(i)) continue;
    ++result.usable_buckets;
    result.packets += first.buckets()[i].count;
    delays += difference_of(last.buckets()[i].times, first.buckets()[i].times);
  }
  if (result.packets == 0) return std::nullopt;
  const auto packets = static_cast<double>(result.packets);
  result.mean_ns = delays / packets;
  double centred = 0, plain = 0;
  for (std::size_t i = 0; i < first.buckets().size(); ++i) {
    if (!usable(i)) continue;
    const LdaSketch::Bucket &a = first.buckets()[i], &b = last.buckets()[i];
    const double sum = difference_of(b.signed_times, a.signed_times);
    const double off =
        sum - result.mean_ns * static_cast<double>(static_cast<std::int64_t>(a.signed_count));
    plain += sum * sum;
    centred += off * off;
  }
  result.deviation_ns = std::sqrt(centred / packets);
  result.plain_deviation_ns =
      std::sqrt(std::max(0.0, plain / packets - result.mean_ns * result.mean_ns));
  return result;
}

}  // namespace sojourn
