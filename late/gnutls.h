#pragma once
// GnuTLS, loaded at its first use.

#ifdef SOJOURN_WITH_GNUTLS

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include "late/late_library.h"

namespace sojourn {

inline constexpr char gnutls_library[] = SOJOURN_GNUTLS_LIBRARY;

SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_alert_get);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_alert_get_name);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_alert_send_appropriate);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_bye);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_allocate_credentials);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_free_credentials);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_server_set_request);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_set_x509_key_file);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_set_x509_system_trust);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_set_x509_trust_file);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_verification_status_print);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_certificate_verify_peers2);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_credentials_set);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_deinit);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_error_is_fatal);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_handshake);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_hmac_fast);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_init);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_record_get_direction);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_record_recv);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_record_send);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_server_name_set);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_session_get_verify_cert_status);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_session_set_verify_cert);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_set_default_priority);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_strerror);
SOJOURN_LATE(SOJOURN_GNUTLS_LIBRARY, gnutls_transport_set_int2);

/// A variable of the library that holds a function.
inline void free_of_gnutls(void* memory) {
  static const auto* const found =
      static_cast<const gnutls_free_function*>(find_late(gnutls_library, "gnutls_free"));
  (*found)(memory);
}

}  // namespace sojourn

#endif
