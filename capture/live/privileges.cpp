#include "capture/live/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
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
  return "needs root or the capability " + name;
}

std::string with_capability_advice(const std::string& message) {
  const auto granted = [&](const std::string& what, const std::string& capabilities) {
    return message + ": run it with sudo, or grant " + what + " once with 'sudo setcap " +
           capabilities + "=ep " + own_path() + "'";
  };
  if (message.find("CAP_BPF") != std::string::npos)
    return granted("them", "cap_bpf,cap_net_admin,cap_perfmon,cap_net_raw");
  if (message.find("CAP_NET_RAW") != std::string::npos) return granted("it", "cap_net_raw");
  return message;
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
