# The page and its server.  Without libmicrohttpd (Debian: libmicrohttpd-dev) the program is built
# without a server, and without npm's parts (tools/setup page) without the page; each says so when
# asked for it.
option(SOJOURN_WEB "Build the web server, if libmicrohttpd is there" ON)
option(SOJOURN_PAGE "Build the page, if its parts are there" ON)

add_library(sojourn_microhttpd INTERFACE)
pkg_check_modules(microhttpd IMPORTED_TARGET libmicrohttpd>=0.9.75)
if(SOJOURN_WEB AND microhttpd_FOUND)
  sojourn_load_late(sojourn_microhttpd microhttpd SOJOURN_MICROHTTPD_LIBRARY)
  target_compile_definitions(sojourn_microhttpd INTERFACE SOJOURN_WITH_MICROHTTPD)
else()
  message(STATUS "Without a web server: libmicrohttpd 0.9.75 or newer is missing, or SOJOURN_WEB is off")
endif()

# esbuild makes one script and one style sheet from web/page; their bytes become part of the
# program.
set(page_source ${CMAKE_SOURCE_DIR}/web/page)
set(page_made ${CMAKE_BINARY_DIR}/page)
add_library(sojourn_page INTERFACE)
if(SOJOURN_WEB AND SOJOURN_PAGE AND microhttpd_FOUND AND EXISTS ${page_source}/node_modules/esbuild
   AND EXISTS ${page_source}/node_modules/uplot)
  find_program(node node)
  file(GLOB page_files CONFIGURE_DEPENDS ${page_source}/src/*.ts ${page_source}/src/*.css)
  file(MAKE_DIRECTORY ${page_made})
  add_custom_command(
    OUTPUT ${page_made}/page.js ${page_made}/page.css
    COMMAND ${node} build.mjs ${page_made}
    DEPENDS ${page_files} ${page_source}/package-lock.json ${page_source}/build.mjs
    WORKING_DIRECTORY ${page_source}
    COMMENT "Bundling the page")
  add_custom_command(
    OUTPUT ${page_made}/page_bytes.cpp
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${page_made}/page_bytes.cpp
            "-DFILES=${page_source}/index.html,${page_source}/icon.svg,${page_made}/page.js,${page_made}/page.css"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${page_source}/index.html ${page_source}/icon.svg ${page_made}/page.js ${page_made}/page.css
            ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding the page")
  add_library(sojourn_page_bytes STATIC ${page_made}/page_bytes.cpp)
  target_compile_definitions(sojourn_page INTERFACE SOJOURN_WITH_PAGE)
  target_link_libraries(sojourn_page INTERFACE sojourn_page_bytes)
else()
  message(STATUS "Without the page: `tools/setup page` fetches its parts")
endif()
