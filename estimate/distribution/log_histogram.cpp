#include "estimate/distribution/log_histogram.h"

namespace sojourn {

void BucketPlane::add_all(const BucketPlane& other) {
  for (std::size_t o = 0; o < octaves_.size(); ++o) {
    if (!other.octaves_[o]) continue;
    if (!octaves_[o]) octaves_[o] = std::make_unique<Octave>();
    for (std::size_t i = 0; i < octaves_[o]->size(); ++i)
      (*octaves_[o])[i] += (*other.octaves_[o])[i];
  }
}

void LogHistogram::merge(const LogHistogram& other) {
  if (other.squares_ && !squares_) start_squares();
  weights_.add_all(other.weights_);
  if (squares_) squares_->add_all(other.squares());
}

void LogHistogram::start_squares() {
  squares_.emplace();
  squares_->add_all(weights_);  // so far every weight was 1, its own square
}

}  // namespace sojourn
