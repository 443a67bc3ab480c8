#pragma once
// Which samples belong together: --by flow, host, prefix/24, port and several of them at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/places.h"
#include "core/result.h"
#include "core/sample.h"
#include "naming/name_table.h"

namespace sojourn {

class HostNames;

/// The fields of a sample that a grouping uses; the rest is zero.
struct GroupKey {
  IpAddress requester;
  IpAddress responder;
  std::uint16_t requester_port = 0;
  std::uint16_t responder_port = 0;
  std::uint16_t vlan = 0;
  std::uint16_t country = 0;
  std::uint32_t system = 0;
  std::uint32_t way = 0;       ///< interface or tunnel
  std::uint32_t dns_name = 0;  ///< by number, as in Sample
  std::uint16_t dns_type = 0;
  std::uint8_t dns_code = Sample::no_code;
  bool other = false;  ///< represents all groups beyond the limit

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
};

std::uint64_t hash_of(const GroupKey& key);

/// How to group.
///
///     flow         requester and responder with their ports: one direction of one connection,
///                  since the two directions measure different legs
///     host         the responder's address: the far end of the delay
///     requester    the requester's address
///     prefix/N     the responder's prefix; IPv6 takes /48, or M with prefix/N/M
///     port         the server's port
///     vlan         the outermost VLAN identifier
///     interface    where the response came in, live or as recorded in the capture
///     tunnel       the outermost tunnel that the response came through
///     dns-name     the name in the DNS question
///     dns-type     its type
///     dns-code     the code of the response
///     asn          the responder's autonomous system, and
///     country      its country: both from a Places, which has to be given
///
/// Several with commas between, "prefix/24,port", as long as none repeats another's information.
class Grouping {
 public:
  enum class By : std::uint8_t {
    flow,
    host,
    requester,
    prefix,
    port,
    vlan,
    interface,
    tunnel,
    dns_name,
    dns_type,
    dns_code,
    asn,
    country
  };

  static Result<Grouping> parse(std::string_view text);

  GroupKey key_of(const Sample& sample) const;
  /// The group's name for people: "192.0.2.0/24", "port 443", "192.0.2.1 port 443", "other".
  std::string label(const GroupKey& key) const { return label(key, true); }
  /// The same without names that may change from day to day: of hosts, of an AS's organisation.
  std::string identity(const GroupKey& key) const { return label(key, false); }
  /// What the user wrote, with defaults filled in: "prefix/24/48,port".
  std::string name() const;
  bool needs_places() const { return by(By::asn) || by(By::country); }
  /// Whether the group's label is a host, or two.
  bool names_hosts() const { return by(By::flow) || by(By::host) || by(By::requester); }
  void set_places(std::shared_ptr<Places> places) { places_ = std::move(places); }
  /// Samples must have marks (pipeline/sample_marks.h).
  bool needs_marks() const { return by(By::interface) || by(By::tunnel) || by_question(); }
  bool by_question() const { return by(By::dns_name) || by(By::dns_type) || by(By::dns_code); }
  /// A request is in the same group as its response, whatever their paths.
  bool fits_requests() const {
    return !by(By::vlan) && !by(By::interface) && !by(By::tunnel) && !by(By::dns_code);
  }
  /// Interfaces or tunnels, and names, by number.  Copies of a Grouping share them.
  NameTable& ways() const { return *ways_; }
  std::shared_ptr<NameTable> shared_ways() const { return ways_; }
  NameTable& dns_names() const { return *names_; }
  /// At most as many of these as groups; call before the first sample.
  void limit_names(std::size_t most);
  std::uint64_t group_names_without_room() const {
    return ways_->without_room() + names_->without_room();
  }
  /// Hosts are shown with these names behind their addresses.
  void name_hosts(std::shared_ptr<const HostNames> names) { host_names_ = std::move(names); }
  bool by(By part) const { return std::ranges::find(parts_, part) != parts_.end(); }

 private:
  Grouping() = default;
  Result<void> add(std::string_view text);
  void put(By part, const Sample& sample, GroupKey& key) const;
  std::string label(const GroupKey& key, bool with_names) const;
  std::string label(By part, const GroupKey& key, bool with_names) const;
  std::string name_behind(const IpAddress& host) const;
  std::string name(By part) const;

  std::shared_ptr<NameTable> ways_ = std::make_shared<NameTable>();
  std::shared_ptr<NameTable> names_ = std::make_shared<NameTable>();
  std::vector<By> parts_;  ///< in the user's order
  std::shared_ptr<Places> places_;
  std::shared_ptr<const HostNames> host_names_;
  std::uint8_t prefix_v4_ = 24;
  std::uint8_t prefix_v6_ = 48;
};

}  // namespace sojourn
