# libsojourn, shared and static, with what other programs need to find it: headers under
# include/sojourn, a pkg-config file and a CMake package.
# Debian's loader, pkg-config and CMake look into this folder below /usr and below /usr/local.  So one build serves
# `make install` and `make packages`.
if(EXISTS /etc/debian_version AND CMAKE_LIBRARY_ARCHITECTURE AND
   (NOT DEFINED CMAKE_INSTALL_LIBDIR OR CMAKE_INSTALL_LIBDIR STREQUAL "lib"))
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The layout of its interface has a number: the namespace v0 of the headers says which, and the names of the shared library
# and of its package follow.
file(STRINGS include/sojourn/types.h namespace REGEX "^namespace sojourn::v[0-9]+ {")
string(REGEX REPLACE "[^0-9]" "" SOJOURN_ABI "${namespace}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/sojourn/types.h)
set(public_headers ${CMAKE_BINARY_DIR}/include)
configure_file(include/sojourn/version.h.in ${public_headers}/sojourn/version.h @ONLY)
target_include_directories(sojourn_library PUBLIC ${CMAKE_SOURCE_DIR}/include ${public_headers})
target_compile_definitions(sojourn_library PRIVATE SOJOURN_BUILDING_LIBRARY)

if(TARGET library_test)
  target_compile_definitions(library_test PRIVATE SOJOURN_CAPTURES="${CMAKE_SOURCE_DIR}/tests/captures")
  add_test(NAME library_debug_mode
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -D_GLIBCXX_DEBUG -I${CMAKE_SOURCE_DIR}/include
                   -I${public_headers} ${CMAKE_SOURCE_DIR}/docs/library/stranger.cpp)
  set_tests_properties(library_debug_mode PROPERTIES LABELS library PASS_REGULAR_EXPRESSION "built without _GLIBCXX_DEBUG")
endif()

add_library(sojourn_shared SHARED $<TARGET_OBJECTS:sojourn_library>)
set_target_properties(sojourn_shared PROPERTIES OUTPUT_NAME sojourn EXPORT_NAME sojourn
  VERSION ${PROJECT_VERSION} SOVERSION ${SOJOURN_ABI})
target_include_directories(sojourn_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(sojourn_shared INTERFACE cxx_std_20)
target_link_libraries(sojourn_shared PRIVATE sojourn_library)
# Only what include/sojourn declares is visible from outside.
target_link_options(sojourn_shared PRIVATE -Wl,--exclude-libs,ALL)
# (The sanitizers' own symbols come with the program.)
if(NOT SOJOURN_SANITIZE AND NOT SOJOURN_SANITIZE_THREADS)
  target_link_options(sojourn_shared PRIVATE -Wl,--no-undefined)
endif()

# The static one joins all layers below `library` into one archive.
get_property(layers GLOBAL PROPERTY SOJOURN_LIBRARY_LAYERS)
set(archive ${CMAKE_BINARY_DIR}/libsojourn.a)
set(script "create ${archive}\n")
foreach(layer IN LISTS layers)
  get_target_property(type ${layer} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(APPEND script "addlib $<TARGET_FILE:${layer}>\n")
    list(APPEND archives ${layer})
  endif()
endforeach()
file(GENERATE OUTPUT ${archive}.mri CONTENT "${script}save\nend\n")
add_custom_command(OUTPUT ${archive} COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} -M < ${archive}.mri DEPENDS ${archives} ${archive}.mri VERBATIM)
add_custom_target(sojourn_static ALL DEPENDS ${archive})

# From the folder of sojourn.pc up to the prefix, so that a moved tree is still found.
string(REGEX REPLACE "[^/]+" ".." SOJOURN_UP_TO_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(cmake/sojourn.pc.in sojourn.pc @ONLY)
configure_file(cmake/sojournConfig.cmake.in sojournConfig.cmake @ONLY)
write_basic_package_version_file(sojournConfigVersion.cmake COMPATIBILITY SameMinorVersion)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sojourn)
install(DIRECTORY include/sojourn ${public_headers}/sojourn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
install(TARGETS sojourn_shared EXPORT sojourn
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT sojourn NAMESPACE sojourn:: FILE sojournTargets.cmake DESTINATION ${package} COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/sojournConfig.cmake ${CMAKE_BINARY_DIR}/sojournConfigVersion.cmake DESTINATION ${package}
        COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/sojourn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
