#include "capture/packet_filter.h"

#include <utility>

#include "capture/decoder.h"
#include "late/pcap.h"

namespace sojourn {
namespace {

/// libpcap's internal numbers (DLT_) for raw IP differ from those in files (LINKTYPE_); for the
/// other supported types they agree.
int dlt_of(LinkType link) {
  switch (link) {
    case LinkType::raw_bsd:
    case LinkType::raw_openbsd:
    case LinkType::raw:
      return DLT_RAW;
    default:
      return static_cast<int>(link);
  }
}

}  // namespace

struct PacketFilter::Program {
  bpf_program code{};
  ~Program() { pcap_freecode(&code); }
};

PacketFilter::PacketFilter(std::unique_ptr<Program> program) : program_(std::move(program)) {}
PacketFilter::PacketFilter(PacketFilter&&) noexcept = default;
PacketFilter& PacketFilter::operator=(PacketFilter&&) noexcept = default;
PacketFilter::~PacketFilter() = default;

Result<PacketFilter> PacketFilter::compile(const std::string& expression, LinkType link) {
  const auto refused = [&](const std::string& why) {
    return failure("filter '" + expression + "': " + why);
  };
  if (const auto loaded = load_pcap(); !loaded) return refused(loaded.error().message);
  const std::unique_ptr<pcap_t, void (*)(pcap_t*)> handle{
      pcap_open_dead(dlt_of(link), static_cast<int>(max_captured)), pcap_close.address()};
  if (handle == nullptr) return refused("libpcap gives no memory");
  auto program = std::make_unique<Program>();
  constexpr int optimize = 1;
  if (pcap_compile(handle.get(), &program->code, expression.c_str(), optimize,
                   PCAP_NETMASK_UNKNOWN) != 0)
    return refused(pcap_geterr(handle.get()));
  return PacketFilter{std::move(program)};
}

bool PacketFilter::accepts(const Packet& packet) const {
  pcap_pkthdr header{};
  header.caplen = packet.captured;
  header.len = packet.length;
  return pcap_offline_filter(&program_->code, &header,
                             reinterpret_cast<const u_char*>(packet.data)) != 0;
}

}  // namespace sojourn
