#pragma once
// libpcap, which only filter expressions need, loaded at its first use.

#include <pcap/pcap.h>

#include "late/late_library.h"

namespace sojourn {

inline constexpr char pcap_library[] = SOJOURN_PCAP_LIBRARY;

/// All of the functions below are there: this process may be somebody else's, which must not end
/// because one is missing.
inline Result<void> load_pcap() {
  return load_late(pcap_library, {"pcap_close", "pcap_compile", "pcap_freecode", "pcap_geterr",
                                  "pcap_offline_filter", "pcap_open_dead"});
}

SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_close);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_compile);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_freecode);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_geterr);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_offline_filter);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_open_dead);

}  // namespace sojourn
