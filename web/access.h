#pragma once
// Who may ask, and how often.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/address.h"

namespace sojourn::web {

/// The same time for every wrong token of a length, so that nobody finds it letter by letter.
bool same_secret(std::string_view given, std::string_view secret);

/// "Bearer abc" -> is abc the secret?
bool has_token(std::string_view authorization, std::string_view secret);

/// Without a token a page of another site must not reach us by a name of its own that it lets point
/// here: only localhost and bare addresses are taken as Host.
bool is_own_host(std::string_view host);

bool is_loopback(const IpAddress& address);

/// A bucket of tokens for each asker: so many at once, then so many a second.  IPv6 by /64.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    double burst = 600, per_second = 100;
    std::size_t most_askers = 4096;
  };

  explicit RateLimit(const Options& options) : options_(options) {}
  /// False: too often.  When there are too many askers to remember, all strangers share a bucket.
  bool allows(const IpAddress& asker, Clock::time_point now);

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled{};
  };
  bool take(Bucket& bucket, Clock::time_point now) const;
  void forget_full(Clock::time_point now);

  Options options_;
  std::map<IpAddress, Bucket> buckets_;
  Bucket strangers_;
};

}  // namespace sojourn::web
