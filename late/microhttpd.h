#pragma once
// libmicrohttpd, loaded at its first use.

#ifdef SOJOURN_WITH_MICROHTTPD

#include <microhttpd.h>

#include "late/late_library.h"

namespace sojourn {

inline constexpr char microhttpd_library[] = SOJOURN_MICROHTTPD_LIBRARY;

SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_add_response_header);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_create_response_from_buffer);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_create_response_from_callback);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_destroy_response);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_get_connection_info);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_get_connection_values_n);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_lookup_connection_value);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_queue_response);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_resume_connection);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_start_daemon);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_stop_daemon);
SOJOURN_LATE(SOJOURN_MICROHTTPD_LIBRARY, MHD_suspend_connection);

}  // namespace sojourn

#endif
