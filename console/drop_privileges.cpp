#include "console/drop_privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sojourn {
namespace {

std::unexpected<Error> refused(const std::string& what) {
  return failure("cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

Result<void> drop_privileges(const std::string& user) {
  if (!user.empty()) {
    const passwd* entry = getpwnam(user.c_str());
    if (entry == nullptr) return failure("there is no user " + user);
    if (setgroups(0, nullptr) != 0 || setgid(entry->pw_gid) != 0 || setuid(entry->pw_uid) != 0)
      return refused("become " + user + " (only root can)");
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("give up new privileges");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) return refused("give up capabilities");
  return {};
}

}  // namespace sojourn
