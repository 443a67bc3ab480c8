#include "estimate/anonymizer.h"

#include <cstring>

namespace sojourn {
namespace {

struct Words {
  std::uint64_t high;
  std::uint64_t low;
};

Words words_of(const IpAddress& address) {
  Words words{};
  const auto bytes = address.bytes();
  std::memcpy(&words, bytes.data(), bytes.size());
  return words;
}

}  // namespace

Anonymizer::Anonymizer(const HashKey& key) : key_(key), cache_(remembered) {}

IpAddress Anonymizer::apply(const IpAddress& address) {
  const Words words = words_of(address);
  Known& known = cache_[keyed_hash(key_, words.high, words.low) % remembered];
  if (!known.used || known.original != address) known = {address, compute(address), true};
  return known.hidden;
}

IpAddress Anonymizer::compute(const IpAddress& address) const {
  IpAddress hidden = address;
  for (std::size_t bit = 0; bit < address.bit_length(); ++bit) {
    const Words prefix = words_of(address.masked(bit));
    const std::uint64_t length = bit << 8 | static_cast<std::uint64_t>(address.version());
    const std::uint64_t pad = keyed_hash(key_, keyed_hash(key_, prefix.high, prefix.low), length);
    hidden.set_bit(bit, address.bit(bit) != ((pad >> 63) != 0));
  }
  return hidden;
}

}  // namespace sojourn
