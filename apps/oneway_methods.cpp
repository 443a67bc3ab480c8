#include "apps/oneway_methods.h"

#include <array>

#include "oneway/exact.h"

namespace sojourn {

std::span<const MethodChoice> oneway_methods() {
  static constexpr std::array all = {
      MethodChoice{"exact", "every packet found again by its label",
                   [](const OnewayRequest& request) -> Result<std::unique_ptr<OnewayMethod>> {
                     return make_exact(request.options);
                   },
                   true},
      MethodChoice{"marking", "alternate marking: loss and delay from a bit in the header (see sojourn mark)", make_marking_method},
  };
  return all;
}

const MethodChoice* oneway_method_named(std::string_view name) {
  for (const MethodChoice& method : oneway_methods())
    if (method.name == name) return &method;
  return nullptr;
}

std::span<const MethodOptionGroup> oneway_option_groups() {
  static constexpr std::array all = {
      MethodOptionGroup{"marking", add_marking_options},
  };
  return all;
}

}  // namespace sojourn
