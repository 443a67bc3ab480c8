#include "export/kernel_refusal.h"

#include <fmt/format.h>

namespace sojourn {

std::string sentence_of(const KernelRefusal& refusal) {
  using enum KernelRefusal::What;
  const std::string& name = refusal.name;
  switch (refusal.what) {
    case not_built:
      return fmt::format("this binary was built without the kernel engine: {}", name);
    case table:
      return fmt::format("--table {} is not in the kernel, whose tables are fridge and fridges",
                         name);
    case any_interface:
      return "-i any is not in the kernel, whose program is attached to interfaces one by one: "
             "name them";
    case filter:
      return "--filter is not in the kernel";
    case grouping:
      return fmt::format("--by {} is not in the kernel: its samples do not say it", name);
    case names:
      return "--names is not in the kernel: it reads payloads";
    case loss:
      return "--loss is not in the kernel: it follows every connection";
    case conversation:
      return fmt::format("kind {} is not in the kernel: it follows every conversation", name);
    case quic:
      return "kind quic is not in the kernel: the spin bit needs each connection's past";
    case flow:
      return "kind flow is not in the kernel: its requests would wait for an hour";
    case little_memory:
      return "--memory below 64 KiB is not for the kernel, which needs room for its ring";
    case histograms:
      return fmt::format(
          "--kernel-output histograms of these kinds needs --memory {}MiB or more, or fewer kinds",
          refusal.mebibytes);
  }
  return {};
}

std::string only_in_socket(std::string_view what) {
  return fmt::format("{} is not in the kernel (--engine socket has it)", what);
}

}  // namespace sojourn
