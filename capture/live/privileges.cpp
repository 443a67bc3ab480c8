#include "capture/live/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>

namespace sojourn {
namespace {

constexpr uid_t nobody = 65'534;

std::unexpected<Error> refused(const char* what) {
  return failure(std::string{"cannot give up "} + what + ": " + std::strerror(errno));
}

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "PROGRAM";
}

}  // namespace

std::string missing_capability(const std::string& name) {
  std::string upper = name;
  for (char& letter : upper)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return "needs the capability CAP_" + upper +
         ": run it with sudo, or grant it once with 'sudo setcap cap_" + name + "=ep " +
         own_path() + "'";
}

std::string with_capability_advice(const std::string& message) {
  if (message.find("CAP_BPF") == std::string::npos) return message;
  return message +
         ": run it with sudo, or grant them once with 'sudo setcap "
         "cap_bpf,cap_net_admin,cap_perfmon,cap_net_raw=ep " +
         own_path() + "'";
}

Result<void> drop_privileges() {
  // A program started from here cannot regain privileges, setuid or not.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("new privileges");
  if (::geteuid() == 0 || ::getuid() == 0) {
    if (::setgroups(0, nullptr) != 0) return refused("the groups of root");
    if (::setresgid(nobody, nobody, nobody) != 0) return refused("the group of root");
    if (::setresuid(nobody, nobody, nobody) != 0) return refused("root");
  }
  // Leaving root drops them, but the file capabilities of an ordinary user remain.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) return refused("capabilities");
  return {};
}

}  // namespace sojourn
