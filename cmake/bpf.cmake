# What runs in the kernel: clang compiles it, bpftool wraps it into a header, the binary carries it.
#
# Without clang, bpftool or libbpf the program is built without the kernel engine and says so when
# asked for it (`sojourn rtt -i eth0 --engine kernel`).  Debian: clang-19, bpftool, libbpf-dev.
option(SOJOURN_KERNEL "Build the engine that runs in the kernel, if its tools are there" ON)

add_library(sojourn_bpf INTERFACE)
# Not clang 14 and older: the verifier rejects what they generate from the same source.
find_program(BPF_CLANG NAMES clang-19 clang-18 clang-17 clang-16)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin)
pkg_check_modules(libbpf IMPORTED_TARGET libbpf>=1.0)

if(NOT SOJOURN_KERNEL)
  set(sojourn_kernel_missing "SOJOURN_KERNEL is off")
elseif(NOT BPF_CLANG)
  set(sojourn_kernel_missing "clang 16 or newer is missing")
elseif(NOT BPFTOOL)
  set(sojourn_kernel_missing "bpftool is missing")
elseif(NOT libbpf_FOUND)
  set(sojourn_kernel_missing "libbpf 1.0 or newer is missing")
endif()

if(sojourn_kernel_missing)
  message(STATUS "Without the kernel engine: ${sojourn_kernel_missing}")
  target_compile_definitions(sojourn_bpf INTERFACE SOJOURN_KERNEL_MISSING="${sojourn_kernel_missing}")
  return()
endif()

set(bpf_folder ${CMAKE_BINARY_DIR}/bpf)
file(MAKE_DIRECTORY ${bpf_folder})
file(GLOB_RECURSE bpf_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dataplane/kernel/*.h)
file(GLOB_RECURSE bpf_programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dataplane/kernel/*.bpf.c)
foreach(source IN LISTS bpf_programs)
  get_filename_component(program ${source} NAME)
  string(REPLACE .bpf.c "" program ${program})
  set(object ${bpf_folder}/${program}.bpf.o)
  set(skeleton ${bpf_folder}/${program}.skel.h)
  add_custom_command(
    OUTPUT ${skeleton}
    # -g: the maps need type information.  asm/types.h is at Debian's location.
    COMMAND ${BPF_CLANG} -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Wno-unused-parameter -Werror
            -I${CMAKE_SOURCE_DIR} -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -c ${source} -o ${object}
    COMMAND ${BPFTOOL} gen skeleton ${object} name ${program} > ${skeleton}
    DEPENDS ${source} ${bpf_headers}
    COMMENT "BPF program ${program}"
    VERBATIM)
  list(APPEND skeletons ${skeleton})
  list(APPEND bpf_objects ${object})
endforeach()
add_custom_target(bpf_skeletons DEPENDS ${skeletons})
add_dependencies(sojourn_bpf bpf_skeletons)
target_include_directories(sojourn_bpf SYSTEM INTERFACE ${bpf_folder})
target_compile_definitions(sojourn_bpf INTERFACE SOJOURN_WITH_KERNEL)
target_link_libraries(sojourn_bpf INTERFACE PkgConfig::libbpf)
