#include "web/access.h"

#include <algorithm>

#include "core/parse.h"

namespace sojourn::web {

bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() != secret.size();
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(secret[secret.empty() ? 0 : i % secret.size()]);
  return difference == 0 && !secret.empty();
}

bool has_token(std::string_view authorization, std::string_view secret) {
  constexpr std::string_view scheme = "Bearer ";
  return authorization.starts_with(scheme) &&
         same_secret(authorization.substr(scheme.size()), secret);
}

bool is_own_host(std::string_view host) {
  const auto named = HostPort::parse(host, HostPort::Use::connect, 80);
  return named && (named->host == "localhost" || IpAddress::parse(named->host).has_value());
}

bool is_loopback(const IpAddress& address) {
  const auto bytes = address.bytes();
  if (address.version() == IpVersion::v4) return bytes[0] == 127;
  return std::ranges::all_of(bytes.first(15), [](std::uint8_t byte) { return byte == 0; }) &&
         bytes[15] == 1;
}

bool RateLimit::take(Bucket& bucket, Clock::time_point now) const {
  const double passed = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.tokens = bucket.filled == Clock::time_point{}
                      ? options_.burst
                      : std::min(options_.burst, bucket.tokens + passed * options_.per_second);
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

bool RateLimit::allows(const IpAddress& asker, Clock::time_point now) {
  const IpAddress key = asker.version() == IpVersion::v4 ? asker : asker.masked(64);
  if (const auto known = buckets_.find(key); known != buckets_.end())
    return take(known->second, now);
  if (buckets_.size() >= options_.most_askers) forget_full(now);
  if (buckets_.size() >= options_.most_askers) return take(strangers_, now);
  return take(buckets_[key], now);
}

/// A client whose bucket is full again can be forgotten.
void RateLimit::forget_full(Clock::time_point now) {
  const std::chrono::duration<double> full{options_.burst / options_.per_second};
  std::erase_if(buckets_, [&](const auto& entry) { return now - entry.second.filled > full; });
}

}  // namespace sojourn::web
