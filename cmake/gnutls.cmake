# TLS between points and collector.  Without GnuTLS (Debian: libgnutls28-dev) the program is built
# without it and says so when asked for it.
option(SOJOURN_TLS "Build TLS for IPFIX, if GnuTLS is there" ON)

add_library(sojourn_gnutls INTERFACE)
pkg_check_modules(gnutls IMPORTED_TARGET gnutls>=3.6)
if(SOJOURN_TLS AND gnutls_FOUND)
  sojourn_load_late(sojourn_gnutls gnutls SOJOURN_GNUTLS_LIBRARY)
  target_compile_definitions(sojourn_gnutls INTERFACE SOJOURN_WITH_GNUTLS)
else()
  message(STATUS "Without TLS: GnuTLS 3.6 or newer is missing, or SOJOURN_TLS is off")
endif()
