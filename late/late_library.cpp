#include "late/late_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace sojourn {
namespace {

[[noreturn]] void give_up(const char* what) {
  const char* const why = ::dlerror();
  std::fprintf(stderr, "sojourn: cannot load %s: %s\n", what,
               why != nullptr ? why : "unknown error");
  std::_Exit(1);
}

void* open(const char* library) { return ::dlopen(library, RTLD_NOW | RTLD_LOCAL); }

}  // namespace

Result<void> load_late(const char* library, std::initializer_list<const char*> names) {
  const auto missed = [](const char* what) {
    const char* const why = ::dlerror();
    return failure(std::string{"cannot load a library: "} + (why != nullptr ? why : what));
  };
  void* const opened = open(library);
  if (opened == nullptr) return missed(library);
  for (const char* const name : names)
    if (::dlsym(opened, name) == nullptr) return missed(name);
  return {};
}

void* find_late(const char* library, const char* name) {
  void* const opened = open(library);
  if (opened == nullptr) give_up(library);
  void* const found = ::dlsym(opened, name);
  if (found == nullptr) give_up(name);
  return found;
}

}  // namespace sojourn
