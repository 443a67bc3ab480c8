// sojourn-bench-libpcap: reads a capture with libpcap and does nothing else with it.
//
// The floor for every tool that is built on libpcap's reader.  One byte of each packet is touched,
// because a tool that never looks at the data measures nothing.  pcap_loop saves the call per
// packet that pcap_next_ex makes; `next` as second argument uses the latter.

#include <pcap/pcap.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

struct Seen {
  std::uint64_t packets = 0;
  std::uint64_t sum = 0;
};

void touch(Seen& seen, const pcap_pkthdr& header, const u_char* bytes) {
  ++seen.packets;
  if (header.caplen > 0) seen.sum += bytes[header.caplen / 2];
}

void callback(u_char* user, const pcap_pkthdr* header, const u_char* bytes) {
  touch(*reinterpret_cast<Seen*>(user), *header, bytes);
}

int read_by_next(pcap_t* capture, Seen& seen) {
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  int status = 0;
  while ((status = pcap_next_ex(capture, &header, &bytes)) == 1) touch(seen, *header, bytes);
  return status == PCAP_ERROR_BREAK ? 0 : status;
}

}  // namespace

int main(int argc, char** argv) {
  char problem[PCAP_ERRBUF_SIZE] = "no file given";
  pcap_t* capture = argc < 2 ? nullptr
                             : pcap_open_offline_with_tstamp_precision(
                                   argv[1], PCAP_TSTAMP_PRECISION_NANO, problem);
  if (!capture) {
    std::fprintf(stderr, "sojourn-bench-libpcap: %s\n", problem);
    return 1;
  }
  Seen seen;
  const bool by_next = argc > 2 && std::strcmp(argv[2], "next") == 0;
  const int status = by_next ? read_by_next(capture, seen)
                             : pcap_loop(capture, -1, callback, reinterpret_cast<u_char*>(&seen));
  if (status != 0) std::fprintf(stderr, "sojourn-bench-libpcap: %s\n", pcap_geterr(capture));
  pcap_close(capture);
  std::printf("%llu packets, sum %llu\n", static_cast<unsigned long long>(seen.packets),
              static_cast<unsigned long long>(seen.sum));
  return status == 0 ? 0 : 1;
}
