# Locations of addresses, for `rtt --by asn`: without libmaxminddb it says what is missing.
pkg_check_modules(maxminddb IMPORTED_TARGET libmaxminddb)
add_library(sojourn_maxminddb INTERFACE)
if(maxminddb_FOUND)
  target_compile_definitions(sojourn_maxminddb INTERFACE SOJOURN_WITH_MAXMINDDB)
  target_link_libraries(sojourn_maxminddb INTERFACE PkgConfig::maxminddb)
else()
  message(STATUS "Without --by asn and country: libmaxminddb-dev is missing")
endif()
