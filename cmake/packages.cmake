# Debian packages of the program, the library, its headers and the Python module: `make packages`.
#
# What the program links is found by dpkg-shlibdeps (dpkg-dev).  What it loads when first used (late.cmake) is recommended,
# as without it only the part that needs it is missing.
set(runtime libsojourn${SOJOURN_ABI})
set(names_program sojourn)
set(names_library ${runtime})
set(names_development libsojourn-dev)
set(names_python python3-sojourn)
set(about_program "network delay from the traffic that is already there
 Round trips, one-way delay and loss, from captures and live interfaces.")
set(about_library "network delay from the traffic that is already there - library
 The measurements of sojourn(1) for other programs.")
set(about_development "network delay from the traffic that is already there - development files
 Headers, static library, pkg-config file and CMake package of libsojourn.")
set(about_python "network delay from the traffic that is already there - Python module
 The measurements of sojourn(1) as NumPy arrays.")

set(CPACK_COMPONENTS_ALL program library development)
if(TARGET sojourn_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

# The packages of the libraries that are loaded late.
get_property(late GLOBAL PROPERTY SOJOURN_LATE_LIBRARIES)
function(packages_of_late result)
  find_program(dpkg_query dpkg-query)
  set(packages)
  foreach(library IN LISTS ARGN)
    file(REAL_PATH ${library} file)
    if(dpkg_query)
      execute_process(COMMAND ${dpkg_query} -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
      if(owner MATCHES "^([^:,]+)")
        list(APPEND packages ${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  list(JOIN packages ", " packages)
  set(${result} "${packages}" PARENT_SCOPE)
endfunction()
packages_of_late(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ${late})
packages_of_late(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ${libpcap_LINK_LIBRARIES})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Sojourn)
set(CPACK_PACKAGE_CONTACT "Sojourn maintainers <maintainers@sojourn.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})  # where the module's libsojourn is
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libfmt-dev, zlib1g-dev, libzstd-dev")  # for the static library
if(TARGET sojourn_python)
  # A compiled module is for one version of Python.
  string(REPLACE "python" "" version ${SOJOURN_PYTHON_NAME})
  string(REGEX MATCH "[0-9]+$" minor ${version})
  math(EXPR next "${minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${runtime} (= ${PROJECT_VERSION}), python3 (>= ${version}~), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${CMAKE_SOURCE_DIR}/cmake/packages/postinst;${CMAKE_SOURCE_DIR}/cmake/packages/prerm")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${names_${component}})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${about_${component}}")
  install(FILES LICENSE RENAME copyright DESTINATION share/doc/${names_${component}} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
