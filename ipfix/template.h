#pragma once
// A template: the fields of a record, in order (RFC 7011 section 3.4).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ipfix/elements.h"
#include "ipfix/message.h"

namespace sojourn::ipfix {

struct Field {
  std::uint16_t element = 0;
  std::uint16_t length = 0;  ///< bytes, or `variable_length`
  std::uint32_t enterprise = iana;

  friend bool operator==(const Field&, const Field&) = default;
};

struct Template {
  std::uint16_t id = first_data_set;
  std::uint16_t scopes = 0;  ///< the first so many fields say what the rest is about; 0: no options
  std::vector<Field> fields;

  bool is_options() const { return scopes > 0; }
  friend bool operator==(const Template&, const Template&) = default;
};

/// Bytes of the shortest record: a field of variable length has at least one.
inline std::size_t least_record_bytes(std::span<const Field> fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += field.length == variable_length ? 1 : field.length;
  return bytes;
}

/// The set that announces it.
std::vector<std::byte> template_set_of(const Template& announced);

}  // namespace sojourn::ipfix
