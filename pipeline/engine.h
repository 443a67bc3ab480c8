#pragma once
// Where live packets are looked at.

#include <cstdint>

namespace sojourn {

enum class Engine : std::uint8_t {
  automatic,  ///< in the kernel if it can be had, else from a socket
  kernel,
  socket,
};

}  // namespace sojourn
