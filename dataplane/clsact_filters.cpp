#include "dataplane/clsact_filters.h"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "capture/unique_fd.h"

namespace sojourn {
namespace {

struct Request {
  nlmsghdr header{};
  tcmsg filter{};
};

/// One direction: true as soon as a filter is listed, or something is wrong.
bool lists_filters(int descriptor, int interface_index, std::uint32_t parent) {
  Request request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETTFILTER;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.filter.tcm_family = AF_UNSPEC;
  request.filter.tcm_ifindex = interface_index;
  request.filter.tcm_parent = parent;
  if (::send(descriptor, &request, sizeof request, 0) != sizeof request) return true;
  bool found = false;
  alignas(nlmsghdr) std::array<char, 32768> answer;
  for (;;) {  // to the end: what is left of one answer would be taken for the next
    const ssize_t size = ::recv(descriptor, answer.data(), answer.size(), 0);
    if (size < ssize_t{sizeof(nlmsghdr)}) return true;
    auto left = static_cast<std::size_t>(size);
    for (std::size_t at = 0; left >= sizeof(nlmsghdr);) {
      const auto* const message = reinterpret_cast<const nlmsghdr*>(answer.data() + at);
      const std::size_t length = NLMSG_ALIGN(message->nlmsg_len);
      if (message->nlmsg_type == NLMSG_DONE) return found;
      if (message->nlmsg_type == NLMSG_ERROR || length < sizeof(nlmsghdr)) return true;
      found |= message->nlmsg_type == RTM_NEWTFILTER;
      if (length >= left) break;
      at += length;
      left -= length;
    }
  }
}

}  // namespace

bool has_clsact_filters(int interface_index) {
  const UniqueFd netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  if (!netlink) return true;
  for (const auto side : {TC_H_MIN_INGRESS, TC_H_MIN_EGRESS})
    if (lists_filters(netlink.get(), interface_index, TC_H_MAKE(TC_H_CLSACT, side))) return true;
  return false;
}

}  // namespace sojourn
