# sojourn_load_late(TARGET PREFIX MACRO): TARGET may call the library that pkg-config found as PREFIX, which is loaded when it
# is first used (late/late_library.h).  MACRO becomes the name that the loader knows it by, such as libpcap.so.0.8.
function(sojourn_load_late target prefix macro)
  list(GET ${prefix}_LINK_LIBRARIES 0 library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} has no name for the loader")
  endif()
  target_compile_definitions(${target} INTERFACE ${macro}="${CMAKE_MATCH_1}")
  set_property(GLOBAL APPEND PROPERTY SOJOURN_LATE_LIBRARIES ${library})
  target_include_directories(${target} SYSTEM INTERFACE ${${prefix}_INCLUDE_DIRS})
endfunction()
