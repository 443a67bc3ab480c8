#include "dataplane/reference/interface_counters.h"

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace sojourn {

Result<InterfaceCounters> InterfaceCounters::open(int index) {
  InterfaceCounters counters;
  counters.index_ = index;
  counters.socket_ = UniqueFd{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  if (!counters.socket_)
    return failure(std::string{"cannot read the interface's counters: "} + std::strerror(errno));
  return counters;
}

std::uint64_t InterfaceCounters::sent_bytes() {
  struct {
    nlmsghdr header{};
    if_stats_msg asked{};
  } request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETSTATS;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.asked.ifindex = static_cast<std::uint32_t>(index_);
  request.asked.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
  alignas(nlmsghdr) char answer[1024];
  if (::send(socket_.get(), &request, sizeof request, 0) < 0) return last_;
  const ssize_t size = ::recv(socket_.get(), answer, sizeof answer, 0);
  constexpr std::size_t before = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(if_stats_msg)));
  nlmsghdr header{};
  if (size < static_cast<ssize_t>(before + sizeof(rtattr))) return last_;
  std::memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type != RTM_NEWSTATS) return last_;
  rtattr attribute{};
  std::memcpy(&attribute, answer + before, sizeof attribute);
  if (attribute.rta_len < sizeof attribute) return last_;
  rtnl_link_stats64 stats{};
  const std::size_t have =
      std::min<std::size_t>({static_cast<std::size_t>(size) - before - sizeof attribute,
                             attribute.rta_len - sizeof attribute, sizeof stats});
  if (attribute.rta_type != IFLA_STATS_LINK_64 || have < offsetof(rtnl_link_stats64, rx_errors))
    return last_;
  std::memcpy(&stats, answer + before + sizeof attribute, have);
  return last_ = stats.tx_bytes;
}

}  // namespace sojourn
