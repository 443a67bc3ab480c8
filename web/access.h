#pragma once
// Access control and rate limits.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/address.h"

namespace sojourn::web {

/// Takes the same time for every wrong token of a length, so that it cannot be guessed letter by
/// letter.
bool same_secret(std::string_view given, std::string_view secret);

/// "Bearer abc": whether abc is the secret.
bool has_token(std::string_view authorization, std::string_view secret);

/// Without a token, a page of another site must not reach us by a name that it points here (DNS
/// rebinding): only localhost and bare addresses are accepted as Host.
bool is_own_host(std::string_view host);

bool is_loopback(const IpAddress& address);

/// A token bucket for each client: a burst, then a rate per second.  IPv6 by /64.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    double burst = 600, per_second = 100;
    std::size_t most_askers = 4096;
  };

  explicit RateLimit(const Options& options) : options_(options) {}
  /// False: too often.  When there are too many clients to remember, all new ones share a bucket.
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
