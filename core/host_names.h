#pragma once
// Names of hosts, learned from the traffic.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/address.h"

namespace sojourn {

/// At most `most_hosts` hosts, each with one name of at most 255 bytes.  A name from a TLS
/// ClientHello has precedence over one from DNS.  Of several names the alphabetically first is
/// shown, so that the order in which they were learned does not matter.
class HostNames {
 public:
  static constexpr std::size_t usual_most = std::size_t{1} << 16;

  enum class From : std::uint8_t { dns, server };

  explicit HostNames(std::size_t most_hosts = usual_most) : most_hosts_(most_hosts) {}

  void learn(const IpAddress& host, std::string_view name, From from);
  void merge(const HostNames& other);

  /// "www.example.com", made safe to print; "... and others" if the host has further names; empty
  /// if it has none.
  std::string name_of(const IpAddress& host) const;

  std::size_t size() const { return names_.size(); }
  std::uint64_t without_room() const { return without_room_; }

 private:
  struct Known {
    std::string name;
    From from;
    bool has_others;
  };
  struct Hash {
    std::size_t operator()(const IpAddress& host) const;
  };
  void learn(const IpAddress& host, std::string_view name, From from, bool has_others);

  std::unordered_map<IpAddress, Known, Hash> names_;
  std::size_t most_hosts_;
  std::uint64_t without_room_ = 0;  ///< names of hosts beyond `most_hosts`
};

}  // namespace sojourn
