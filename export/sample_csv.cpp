#include "export/sample_csv.h"

#include <charconv>
#include <cstring>
#include <string_view>

namespace sojourn {
namespace {

constexpr std::string_view header =
    "time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight\n";
constexpr std::size_t buffer_size = std::size_t{1} << 18;
constexpr std::size_t longest_line = 256;  // two IPv6 addresses, five numbers and two names: 190

char* put(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* put(char* at, std::int64_t number) { return std::to_chars(at, at + 24, number).ptr; }

char* put(char* at, const IpAddress& address) {
  if (address.version() == IpVersion::v6) return put(at, std::string_view{address.to_string()});
  const auto bytes = address.bytes();  // own code: inet_ntop was most of the cost of a line
  for (std::size_t i = 0; i < 4; ++i) {
    if (i > 0) *at++ = '.';
    at = std::to_chars(at, at + 3, static_cast<unsigned>(bytes[i])).ptr;
  }
  return at;
}

}  // namespace

SampleCsvWriter::SampleCsvWriter(OutputFile& file) : file_(file), buffer_(buffer_size) {
  used_ = static_cast<std::size_t>(put(buffer_.data(), header) - buffer_.data());
}

void SampleCsvWriter::write(const Sample& sample) {
  if (buffer_.size() - used_ < longest_line) flush();
  char* at = buffer_.data() + used_;
  at = put(at, to_ns(sample.time));
  *at++ = ',';
  at = put(at, name_of(sample.kind));
  *at++ = ',';
  at = put(at, name_of(sample.leg));
  *at++ = ',';
  at = put(at, sample.requester);
  *at++ = ',';
  at = put(at, std::int64_t{sample.requester_port});
  *at++ = ',';
  at = put(at, sample.responder);
  *at++ = ',';
  at = put(at, std::int64_t{sample.responder_port});
  *at++ = ',';
  at = put(at, to_ns(sample.delay));
  *at++ = ',';
  if (sample.weight == 1)
    *at++ = '1';
  else
    at = std::to_chars(at, at + 32, sample.weight).ptr;  // the shortest that reads back the same
  *at++ = '\n';
  used_ = static_cast<std::size_t>(at - buffer_.data());
}

void SampleCsvWriter::flush() {
  file_.write({buffer_.data(), used_});
  used_ = 0;
}

}  // namespace sojourn
