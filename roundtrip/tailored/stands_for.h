#pragma once
// How many attempts an accepted request stands for, in three bits.

#include <array>
#include <cstdint>

namespace sojourn {

/// attempts/accepts of the last 32 to 64 accepts.  Only of what came before: so it has no part in
/// whether the next one is accepted.  What a full line refuses depends on the hash alone.
///
/// A slot keeps it as one of seven levels, 1.6 times apart.  Chance decides between the two next to
/// it, so that the mean is right.
class StandsFor {
 public:
  static constexpr unsigned ambiguous = 7;  ///< of a request seen again, which gives no sample

  static double value(unsigned code) { return levels[code]; }

  void add(bool accepted) {
    attempts_ += 1;
    if (!accepted) return;
    accepts_ += 1;
    ratio_ = attempts_ / accepts_;
    if (accepts_ < 64) return;
    attempts_ /= 2;
    accepts_ /= 2;
  }
  /// As it was at the last accept.  Attempts per k accepts estimate the inverse of the chance
  /// without bias (Haldane 1945); with the refusals since then it would be 1/k too high.
  double now() const { return ratio_; }

  unsigned draw(std::uint32_t coin) const {
    const double wanted = now();
    if (wanted == 1) return 0;
    unsigned code = 0;
    while (code + 2 < levels.size() && wanted >= levels[code + 1]) ++code;
    const double part = (wanted - levels[code]) / (levels[code + 1] - levels[code]);
    return code + (static_cast<double>(coin) * 0x1p-32 < part);
  }

 private:
  static constexpr std::array<double, 7> levels = {1,      1.6,      2.56,     4.096,
                                                   6.5536, 10.48576, 16.777216};
  double attempts_ = 0, accepts_ = 0;
  double ratio_ = 1;
};

}  // namespace sojourn
