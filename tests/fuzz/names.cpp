// Names in bytes from outside: DNS questions and answers, TLS server names.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "core/host_names.h"
#include "core/printable.h"
#include "naming/name_table.h"
#include "wire/headers/dns_addresses.h"
#include "wire/headers/dns_question.h"
#include "wire/headers/tls_server_name.h"

using namespace sojourn;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span{data, size});
  HostNames names{16};
  read_dns_addresses(bytes, [&](std::string_view name, const IpAddress& host) {
    if (name.empty() || name.size() > 2 * 255) std::abort();
    names.learn(host, name, HostNames::From::dns);
    // Printable text must not change when it is made printable again.
    const std::string label = names.name_of(host);
    if (printable(label, 1000) != label) std::abort();
  });
  if (names.size() > 16) std::abort();
  if (const auto name = find_server_name(bytes))
    if (name->empty() || name->size() > 255) std::abort();
  if (const auto question = read_dns_question(bytes)) {
    if (question->name.empty() || question->name.size() > 2 * 255) std::abort();
    NameTable table{1};
    const std::uint32_t number = table.number_of(question->name);
    const std::string label = table.text_of(number);
    if (label.empty() || printable(label, 1000) != label) std::abort();
    if (table.number_of(question->name) != number) std::abort();
  }
  for (std::size_t at = 0; at < size && at < 64; ++at) {
    std::size_t place = at;
    if (const auto name = read_dns_name(bytes, place))
      if (place <= at || place > size || name->size() > 2 * 255) std::abort();
  }
  return 0;
}
