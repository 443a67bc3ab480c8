#include "pipeline/copy_filter.h"

#include <algorithm>
#include <utility>

#include "core/prefetch.h"
#include "wire/headers/endian.h"
#include "wire/summarize.h"

namespace sojourn {
namespace {

/// Eight bytes from there, if they were captured.
std::uint64_t load_captured(const Summary& summary, std::size_t offset) {
  const bool captured = summary.ip_captured >= offset + sizeof(std::uint64_t);
  return captured ? load_network<std::uint64_t>(summary.ip + offset) : 0;
}

std::uint16_t identification(const Summary& summary) {
  return summary.is_ipv6 ? std::uint16_t{0} : load_network<std::uint16_t>(summary.ip + 4);
}

/// What hosts may send again by themselves, unchanged, within microseconds: acknowledgments of
/// segments out of order, a reset for each segment that meets no connection, responses to the same
/// request again.
bool is_bare_answer(const Summary& summary) {
  switch (summary.content) {
    case Content::tcp:
      return summary.payload == 0 && (summary.tcp_flags & (tcp_syn | tcp_fin)) == 0;
    case Content::dns_response:
    case Content::ntp_response:
    case Content::icmp_reply:
      return true;
    default:
      return false;
  }
}

/// From a QUIC payload's start to bytes that no other packet has: the first byte and a connection
/// identifier of up to 20 bytes are the same in many (RFC 9000 section 17.3.1).
constexpr std::size_t past_quic_header = 21;

bool is_quic(const Summary& summary) {
  return summary.content == Content::quic_short || summary.content == Content::quic_long;
}

/// Where packets have an identification it tells them apart.  Otherwise their content must, and a
/// checksum does not: on the sending host it may not have been filled in yet.
bool can_tell(const Summary& summary, std::uint16_t id) {
  if (id != 0) return true;
  if (is_quic(summary) &&
      summary.ip_captured < summary.payload_offset + past_quic_header + sizeof(std::uint64_t))
    return false;
  if (is_bare_answer(summary)) return false;
  if (summary.content == Content::tcp) return true;
  // Options between the headers may be all that differs, and are not read here.
  return summary.payload_offset == (summary.is_ipv6 ? 40 + 8 : 20 + 8);
}

/// All that is the same in a copy and, taken together, in no other packet.
std::uint64_t digest_of(const HashKey& key, const Summary& summary, std::uint16_t id) {
  std::uint64_t header = 0, content = 0;
  if (summary.content == Content::tcp) {
    header = load_captured(summary, tcp_offset(summary) + 12);  // flags, window, checksum
    content = static_cast<std::uint64_t>(summary.ts_value) << 32 | summary.ts_echo;
  } else {
    header = load_captured(summary, summary.payload_offset - 8u);  // all of UDP's, all of an echo's
    content =
        load_captured(summary, summary.payload_offset + (is_quic(summary) ? past_quic_header : 0));
  }
  const std::uint64_t length_and_id = static_cast<std::uint64_t>(summary.payload) << 32 |
                                      static_cast<std::uint64_t>(id) << 1 | summary.source_is_low;
  return keyed_hash(key, keyed_hash(key, summary.flow ^ length_and_id, summary.token()) ^ header,
                    content);
}

}  // namespace

CopyFilter::CopyFilter(const HashKey& key) : key_(key), slots_(groups * slots_per_group) {
  group_looks_until_.fill(first_packets);
}

bool CopyFilter::looks_at(const Summary& summary) const {
  return in_window(summary.index) ||
         is_before(summary.index, group_looks_until_[group_of(summary)]);
}

/// In place: two halves that are written one by one and then copied as one word would have to reach
/// the cache first.
void CopyFilter::prepare(const Summary& summary, Look& look) const {
  look.is_prepared = true;
  look.allowed_ns = 0;
  const std::uint16_t id = identification(summary);
  if (!can_tell(summary, id)) return;
  const std::uint64_t digest = digest_of(key_, summary, id);
  const std::size_t slot = group_of(summary) * slots_per_group + (digest >> 32) % slots_per_group;
  prefetch_to_write(&slots_[slot]);
  look.slot = static_cast<std::uint32_t>(slot);
  look.digest = static_cast<std::uint32_t>(digest);
  look.allowed_ns = (id == 0 ? longest_gap_without_id : longest_gap).count();
}

bool CopyFilter::is_copy(const Summary& summary, const Look& look) {
  if (look.allowed_ns == 0) return false;
  const Slot seen{look.digest, static_cast<std::uint32_t>(to_ns(summary.time) >> tick_bits)};
  const Slot before = std::exchange(slots_[look.slot], seen);
  const std::uint64_t gap = std::uint64_t{seen.time - before.time} << tick_bits;
  if (before.digest != seen.digest || gap > static_cast<std::uint64_t>(look.allowed_ns))
    return false;
  std::uint32_t& looks_until = group_looks_until_[group_of(summary)];
  looks_until = summary.index + patience;
  if (is_before(looks_until_, looks_until)) looks_until_ = looks_until;
  return true;
}

/// A few at a time: first all of their digests, then their slots, which are rarely in the cache.
std::span<const Summary> CopyFilter::look_at(std::span<Summary> batch) {
  std::array<Look, 32> looks;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < batch.size(); first += looks.size()) {
    const auto some = batch.subspan(first, std::min(looks.size(), batch.size() - first));
    for (const Summary& summary : some)  // which another core may have parsed
      if (looks_at(summary)) {
        prefetch_to_read(summary.ip);
        prefetch_near(summary.ip, 39);  // the end of an IPv4 and a TCP header, less options
      }
    for (std::size_t i = 0; i < some.size(); ++i) {
      looks[i].is_prepared = false;
      looks[i].allowed_ns = 0;
      if (looks_at(some[i])) prepare(some[i], looks[i]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      // One that a copy right before it draws attention to has not been prepared.
      if (!looks[i].is_prepared && looks_at(some[i])) [[unlikely]]
        prepare(some[i], looks[i]);
      if (is_copy(some[i], looks[i])) continue;
      if (kept != first + i) batch[kept] = some[i];
      ++kept;
    }
  }
  copies_ += batch.size() - kept;
  return batch.first(kept);
}

}  // namespace sojourn
