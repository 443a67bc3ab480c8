#pragma once
// libpcap, which only filter expressions need, loaded at its first use.

#include <pcap/pcap.h>

#include "late/late_library.h"

namespace sojourn {

inline constexpr char pcap_library[] = SOJOURN_PCAP_LIBRARY;

SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_close);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_compile);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_freecode);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_geterr);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_offline_filter);
SOJOURN_LATE(SOJOURN_PCAP_LIBRARY, pcap_open_dead);

}  // namespace sojourn
