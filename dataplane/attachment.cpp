#include "dataplane/attachment.h"

#include <net/if.h>

#ifdef SOJOURN_WITH_KERNEL

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "dataplane/clsact_filters.h"

namespace sojourn {
namespace {

// libbpf 1.1 and the headers of Linux 6.1 do not know them yet: BPF_TCX_INGRESS, BPF_TCX_EGRESS.
constexpr auto tcx_ingress = static_cast<bpf_attach_type>(46);
constexpr auto tcx_egress = static_cast<bpf_attach_type>(47);

/// libbpf gives -1 and errno, or a negative error, by version.
int code_of(int status) { return status == -1 ? errno : -status; }

std::string reason(const AttachmentPoint& point, int code) {
  if (code == EPERM || code == EACCES) return point.interface + ": attaching needs CAP_NET_ADMIN";
  return fmt::format("{}: cannot attach: {}", point.interface, std::strerror(code));
}

/// Every packet passes a loopback twice.  For both directions, only its arrival is used.
bool goes(TcDirection direction, bool egress, const AttachmentPoint& point) {
  if (direction == TcDirection::both) return !egress || !point.loopback;
  return egress == (direction == TcDirection::egress);
}

bpf_tc_hook hook_of(const AttachmentPoint& point, bpf_tc_attach_point where) {
  bpf_tc_hook hook{};
  hook.sz = sizeof hook;
  hook.ifindex = point.index;
  hook.attach_point = where;
  return hook;
}

/// What a child has to take away.
struct Filters {
  AttachmentPoint point;
  bool made_qdisc = false;
  std::vector<std::pair<bpf_tc_attach_point, bpf_tc_opts>> filters;

  void remove() const {
    for (const auto& [where, found] : filters) {
      bpf_tc_hook hook = hook_of(point, where);
      bpf_tc_opts which{};
      which.sz = sizeof which;
      which.handle = found.handle;
      which.priority = found.priority;
      bpf_tc_detach(&hook, &which);
    }
    // Somebody else may have put a filter there meanwhile: then the qdisc stays.
    if (!made_qdisc || has_clsact_filters(point.index)) return;
    bpf_tc_hook hook =
        hook_of(point, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
    bpf_tc_hook_destroy(&hook);
  }
};

/// Waits until the parent is gone, whatever ended it, and cleans up.
UniqueFd start_cleaner(const Filters& filters) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return UniqueFd{};
  UniqueFd read_end{ends[0]}, write_end{ends[1]};
  const pid_t child = ::fork();
  if (child < 0) return UniqueFd{};
  if (child == 0) {
    // A second fork: the cleaner is no child of this process, which need not wait for it.
    if (const pid_t cleaner = ::fork(); cleaner != 0) ::_exit(cleaner < 0);
    // Only the pipe stays open: not the program, and not the pipes of other cleaners.
    ::dup2(ends[0], 0);
    ::close_range(1, ~0u, 0);
    ::setsid();  // an interrupt from the keyboard is the parent's
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_IGN);
    ::prctl(PR_SET_NAME, "sojourn-cleaner");
    char byte;
    while (::read(0, &byte, 1) < 0 && errno == EINTR) {
    }
    filters.remove();
    ::_exit(0);
  }
  int status = 0;  // unchanged if SIGCHLD is ignored: then there is no status
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? std::move(write_end) : UniqueFd{};
}

}  // namespace

Result<Attachment> Attachment::attach_by_clsact(int program, const AttachmentPoint& point,
                                                TcDirection direction) {
  Filters filters{point, false, {}};
  bpf_tc_hook both =
      hook_of(point, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
  const int made = bpf_tc_hook_create(&both);
  if (made != 0 && code_of(made) != EEXIST) return failure(reason(point, code_of(made)));
  filters.made_qdisc = made == 0;
  for (const auto where : {BPF_TC_INGRESS, BPF_TC_EGRESS}) {
    if (!goes(direction, where == BPF_TC_EGRESS, point)) continue;
    bpf_tc_hook hook = hook_of(point, where);
    bpf_tc_opts filter{};
    filter.sz = sizeof filter;
    filter.prog_fd = program;
    if (const int status = bpf_tc_attach(&hook, &filter); status != 0) {
      filters.remove();
      return failure(reason(point, code_of(status)));
    }
    filters.filters.emplace_back(where, filter);
  }
  Attachment attached{point, "tc (clsact)"};
  attached.cleaner_ = start_cleaner(filters);
  if (!attached.cleaner_) {
    filters.remove();
    return failure(point.interface + ": cannot start the process that cleans up");
  }
  return attached;
}

Result<Attachment> Attachment::attach_tc(int program, const AttachmentPoint& point,
                                         TcDirection direction) {
  Attachment attached{point, "tc (tcx)"};
  for (const auto type : {tcx_ingress, tcx_egress}) {
    if (!goes(direction, type == tcx_egress, point)) continue;
    const int descriptor = bpf_link_create(program, point.index, type, nullptr);
    if (descriptor < 0) {
      const int code = code_of(descriptor);
      if (code == EINVAL || code == EOPNOTSUPP) return attach_by_clsact(program, point, direction);
      return failure(reason(point, code));
    }
    attached.links_.emplace_back(descriptor);
  }
  return attached;
}

Result<Attachment> Attachment::attach(const KernelProgram& program, const AttachmentPoint& point,
                                      Hook hook) {
  if (hook == Hook::tc) return attach_tc(program.descriptor(), point, TcDirection::both);
  const auto link = [&](bpf_attach_type type, std::uint32_t flags) {
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.flags = flags;
    return bpf_link_create(program.descriptor(), point.index, type, &options);
  };
  int status = 0;
  for (const auto& [flags, how] : {std::pair{std::uint32_t{XDP_FLAGS_DRV_MODE}, "xdp (native)"},
                                   std::pair{std::uint32_t{XDP_FLAGS_SKB_MODE}, "xdp (generic)"}}) {
    status = link(BPF_XDP, flags);
    if (status >= 0) {
      Attachment attached{point, how};
      attached.links_.emplace_back(status);
      return attached;
    }
    if (code_of(status) == EBUSY || code_of(status) == EEXIST)
      return failure(point.interface +
                     ": another XDP program is attached and stays; the hook tc can be shared");
    if (code_of(status) == EPERM || code_of(status) == EACCES) break;
  }
  return failure(reason(point, code_of(status)));
}

bool Attachment::is_gone() const {
  char name[IF_NAMESIZE];
  return ::if_indextoname(static_cast<unsigned>(point_.index), name) == nullptr;
}

UniqueFd measure_run_time() { return UniqueFd{bpf_enable_stats(BPF_STATS_RUN_TIME)}; }

}  // namespace sojourn

#else

namespace sojourn {

Result<Attachment> Attachment::attach(const KernelProgram&, const AttachmentPoint&, Hook) {
  return failure("no kernel engine");
}
Result<Attachment> Attachment::attach_tc(int, const AttachmentPoint&, TcDirection) {
  return failure("no kernel engine");
}
Result<Attachment> Attachment::attach_by_clsact(int, const AttachmentPoint&, TcDirection) {
  return failure("no kernel engine");
}
bool Attachment::is_gone() const { return true; }
UniqueFd measure_run_time() { return {}; }

}  // namespace sojourn

#endif
