#include "ipfix/delay_records.h"

#include <algorithm>
#include <cmath>

#include "ipfix/message_writer.h"
#include "ipfix/ntp_time.h"
#include "ipfix/template.h"

namespace sojourn::ipfix {
namespace {

constexpr std::uint16_t delay_v4_template = 264, delay_v6_template = 265;
constexpr std::size_t most_bytes = 16'384;

Template delay_template(bool v6) {
  using enum Element;
  Template made{v6 ? delay_v6_template : delay_v4_template, 0, {}};
  const auto add = [&](Element element, std::uint16_t length) {
    made.fields.push_back({static_cast<std::uint16_t>(element), length, iana});
  };
  add(observation_domain_name, variable_length);
  add(v6 ? destination_ipv6_prefix : destination_ipv4_prefix, v6 ? 16 : 4);
  add(v6 ? destination_ipv6_prefix_length : destination_ipv4_prefix_length, 1);
  add(flow_start_milliseconds, 8);
  add(flow_end_milliseconds, 8);
  add(packet_delta_count, 8);
  add(path_delay_mean_delta_microseconds, 4);
  add(path_delay_min_delta_microseconds, 4);
  add(path_delay_max_delta_microseconds, 4);
  add(path_delay_sum_delta_microseconds, 8);
  return made;
}

class DelayMessage {
 public:
  DelayMessage(std::uint32_t domain, std::uint32_t sequence) : bytes_(header_bytes) {
    store(bytes_.data(), version);
    store(bytes_.data() + 8, sequence);
    store(bytes_.data() + 12, domain);
  }

  void add_set(std::span<const std::byte> set) { append(set); }
  template <class Unsigned>
  void put(Unsigned value) {
    std::byte bytes[sizeof value];
    store(bytes, value);
    append(bytes);
  }
  void append(std::span<const std::byte> more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
  }
  std::size_t begin_set(std::uint16_t id) {
    const std::size_t at = bytes_.size();
    put(id);
    put(std::uint16_t{0});
    return at;
  }
  void end_set(std::size_t at) {
    store(bytes_.data() + at + 2, static_cast<std::uint16_t>(bytes_.size() - at));
  }
  std::size_t size() const { return bytes_.size(); }
  void finish(Timestamp now, std::vector<std::byte>& file) {
    store(bytes_.data() + 2, static_cast<std::uint16_t>(bytes_.size()));
    store(bytes_.data() + 4, static_cast<std::uint32_t>(to_ns(now) / 1'000'000'000));
    file.insert(file.end(), bytes_.begin(), bytes_.end());
  }

 private:
  std::vector<std::byte> bytes_;
};

std::uint32_t microseconds(Duration delay) {
  return static_cast<std::uint32_t>((to_ns(delay) + 500) / 1'000);
}

double sum_in_microseconds(const DelayRecord& record) {
  return static_cast<double>(to_ns(record.mean)) / 1e3 * static_cast<double>(record.packets);
}

void write(DelayMessage& message, const DelayRecord& record) {
  const bool v6 = record.prefix.version() == IpVersion::v6;
  const std::size_t set = message.begin_set(v6 ? delay_v6_template : delay_v4_template);
  const std::string name = record.segment.substr(0, most_name_bytes);
  message.put(static_cast<std::uint8_t>(name.size()));
  message.append(std::as_bytes(std::span{name}));
  message.append(std::as_bytes(record.prefix.bytes()));
  message.put(record.prefix_length);
  message.put(static_cast<std::uint64_t>(to_milliseconds(record.from)));
  message.put(static_cast<std::uint64_t>(to_milliseconds(record.to)));
  message.put(record.packets);
  message.put(microseconds(record.mean));
  message.put(microseconds(record.min));
  message.put(microseconds(record.max));
  message.put(static_cast<std::uint64_t>(std::llround(sum_in_microseconds(record))));
  message.end_set(set);
}

}  // namespace

bool is_negative(const DelayRecord& record) {
  return record.min < Duration{0} || record.mean < Duration{0};
}

bool can_be_told(const DelayRecord& record) {
  constexpr Duration most = std::chrono::hours{1};
  return !is_negative(record) && record.packets > 0 && record.mean >= record.min &&
         record.max <= most && sum_in_microseconds(record) < 0x1p63;
}

std::vector<std::byte> delay_file(std::span<const DelayRecord> records, Timestamp now) {
  std::vector<std::byte> file;
  while (!records.empty()) {
    const std::string& segment = records.front().segment;
    const auto end = std::ranges::find_if(
        records, [&](const DelayRecord& record) { return record.segment != segment; });
    const auto count = static_cast<std::size_t>(end - records.begin());
    std::uint32_t sequence = 0;  // of data records, by domain
    DelayMessage message{domain_of(segment), sequence};
    for (const bool v6 : {false, true}) message.add_set(template_set_of(delay_template(v6)));
    for (const DelayRecord& record : records.first(count)) {
      if (!can_be_told(record)) continue;
      if (message.size() > most_bytes) {
        message.finish(now, file);
        message = DelayMessage{domain_of(segment), sequence};
      }
      write(message, record);
      ++sequence;
    }
    message.finish(now, file);
    records = records.subspan(count);
  }
  return file;
}

}  // namespace sojourn::ipfix
