#include "ipfix/template.h"

namespace sojourn::ipfix {
namespace {

void append_word(std::vector<std::byte>& bytes, std::uint16_t word) {
  bytes.resize(bytes.size() + 2);
  store(bytes.data() + bytes.size() - 2, word);
}

}  // namespace

std::vector<std::byte> template_set_of(const Template& announced) {
  std::vector<std::byte> bytes;
  append_word(bytes, announced.is_options() ? options_template_set : template_set);
  append_word(bytes, 0);  // its length, below
  append_word(bytes, announced.id);
  append_word(bytes, static_cast<std::uint16_t>(announced.fields.size()));
  if (announced.is_options()) append_word(bytes, announced.scopes);
  for (const Field& field : announced.fields) {
    append_word(bytes, field.enterprise == iana
                           ? field.element
                           : static_cast<std::uint16_t>(field.element | enterprise_bit));
    append_word(bytes, field.length);
    if (field.enterprise == iana) continue;
    append_word(bytes, static_cast<std::uint16_t>(field.enterprise >> 16));
    append_word(bytes, static_cast<std::uint16_t>(field.enterprise));
  }
  store(bytes.data() + 2, static_cast<std::uint16_t>(bytes.size()));
  return bytes;
}

}  // namespace sojourn::ipfix
