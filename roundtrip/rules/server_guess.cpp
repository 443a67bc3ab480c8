#include "roundtrip/rules/server_guess.h"

#include <array>
#include <cstddef>

namespace sojourn {
namespace {

struct PortRange {
  std::uint16_t first, last;
};

/// Services that a capture is likely to hold, sorted.  Clients of some (NFS, rsh, X11, TDS) have
/// lower ports than the server.
constexpr auto services = std::to_array<PortRange>({
    {7, 7},         {9, 9},         {13, 13},       {19, 23},       {25, 25},       {37, 37},
    {43, 43},       {49, 49},       {53, 53},       {70, 70},       {79, 81},       {88, 88},
    {102, 102},     {104, 104},     {110, 111},     {113, 113},     {119, 119},     {135, 135},
    {139, 139},     {143, 143},     {179, 179},     {194, 194},     {264, 264},     {389, 389},
    {427, 427},     {443, 445},     {464, 465},     {502, 502},     {512, 515},     {543, 544},
    {548, 548},     {554, 554},     {563, 563},     {587, 587},     {593, 593},     {623, 623},
    {631, 631},     {636, 636},     {639, 639},     {646, 646},     {749, 749},     {853, 853},
    {860, 860},     {873, 873},     {902, 902},     {989, 990},     {992, 995},     {1080, 1080},
    {1099, 1099},   {1194, 1194},   {1352, 1352},   {1414, 1414},   {1433, 1434},   {1494, 1494},
    {1521, 1521},   {1720, 1720},   {1723, 1723},   {1755, 1755},   {1883, 1883},   {1935, 1935},
    {2000, 2000},   {2049, 2049},   {2123, 2123},   {2181, 2181},   {2222, 2222},   {2375, 2376},
    {2404, 2404},   {2483, 2484},   {2598, 2598},   {2628, 2628},   {3000, 3000},   {3050, 3050},
    {3128, 3128},   {3205, 3205},   {3260, 3260},   {3268, 3269},   {3306, 3306},   {3389, 3389},
    {3478, 3478},   {3690, 3690},   {3784, 3784},   {3868, 3868},   {4000, 4000},   {4222, 4222},
    {4369, 4369},   {4443, 4443},   {4840, 4840},   {5000, 5001},   {5060, 5061},   {5201, 5201},
    {5222, 5223},   {5269, 5269},   {5355, 5355},   {5432, 5432},   {5601, 5601},   {5671, 5672},
    {5800, 5809},   {5900, 5909},   {5938, 5938},   {5984, 5986},   {6000, 6063},   {6379, 6379},
    {6443, 6443},   {6566, 6566},   {6633, 6633},   {6653, 6653},   {6660, 6669},   {6697, 6697},
    {7000, 7001},   {7077, 7077},   {7199, 7199},   {7474, 7474},   {7687, 7687},   {8000, 8001},
    {8008, 8009},   {8080, 8089},   {8086, 8086},   {8161, 8161},   {8291, 8291},   {8333, 8333},
    {8443, 8443},   {8554, 8554},   {8728, 8729},   {8883, 8883},   {8888, 8888},   {9000, 9001},
    {9042, 9042},   {9050, 9051},   {9090, 9093},   {9100, 9103},   {9160, 9160},   {9200, 9200},
    {9300, 9300},   {9418, 9418},   {9999, 9999},   {10000, 10000}, {10050, 10051}, {11211, 11211},
    {15672, 15672}, {20000, 20000}, {25565, 25565}, {27017, 27019}, {50070, 50070},
});

/// A bit per port.
constexpr auto service_bits = [] {
  std::array<std::uint64_t, 65'536 / 64> bits{};
  for (const PortRange& range : services)
    for (std::size_t port = range.first; port <= range.last; ++port)
      bits[port / 64] |= std::uint64_t{1} << port % 64;
  return bits;
}();

bool is_service(std::uint16_t port) { return (service_bits[port / 64] >> port % 64 & 1u) != 0; }

constexpr std::uint16_t nfs_port = 2049;
constexpr std::uint16_t first_registered = 1024, first_ephemeral = 32768;

}  // namespace

unsigned service_rank(std::uint16_t port) {
  if (port == nfs_port) return 4;  // above services: its clients use any port below 1024
  if (is_service(port)) return 3;
  return port < first_registered ? 2 : port < first_ephemeral ? 1 : 0;
}

bool source_is_server(const Summary& packet) {
  const unsigned source = service_rank(packet.source_port);
  const unsigned destination = service_rank(packet.destination_port);
  if (source != destination) return source > destination;
  return packet.source_port <= packet.destination_port;
}

}  // namespace sojourn
