# sojourn_layer(FOLDER USES folder... TESTS_USE folder... LIBRARIES target...)
#
# One folder, one library, one test program: `wire/headers/*.cpp` becomes the library
# `sojourn_wire_headers`, and `wire/headers/*_test.cpp` the program `wire_headers_test`.  A new file
# needs no line in any CMakeLists.txt.  TESTS_USE names what only the tests may include.  `test_*.cpp` becomes a library of
# its own, `sojourn_wire_headers_for_tests`, so that no product has it.
function(sojourn_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES;TESTS_USE;LIBRARIES")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*_test.cpp)
  file(GLOB helpers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/test_*.cpp)
  list(REMOVE_ITEM sources ${tests} ${helpers})

  string(REPLACE "/" "_" name ${folder})
  foreach(list USES TESTS_USE)
    list(TRANSFORM layer_${list} REPLACE "/" "_")
    list(TRANSFORM layer_${list} PREPEND sojourn_)
  endforeach()
  if(sources)
    add_library(sojourn_${name} STATIC ${sources})
    sojourn_compile_together(sojourn_${name})
    target_include_directories(sojourn_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(sojourn_${name} PUBLIC sojourn_compiler ${layer_USES} ${layer_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY SOJOURN_PRECOMPILED sojourn_${name})
  else()
    add_library(sojourn_${name} INTERFACE)
    target_include_directories(sojourn_${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(sojourn_${name} INTERFACE sojourn_compiler ${layer_USES} ${layer_LIBRARIES})
  endif()
  set_property(GLOBAL APPEND PROPERTY SOJOURN_LAYERS sojourn_${name})

  if(SOJOURN_TESTS AND helpers)
    add_library(sojourn_${name}_for_tests STATIC ${helpers})
    target_link_libraries(sojourn_${name}_for_tests PUBLIC sojourn_${name})
  endif()
  if(SOJOURN_TESTS AND tests)
    sojourn_test(${name}_test ${tests})
    if(helpers)
      target_link_libraries(${name}_test PRIVATE sojourn_${name}_for_tests)
    endif()
    # TESTS_USE may name a later folder, so linking waits until all of them are known.
    target_link_libraries(${name}_test PRIVATE sojourn_${name} ${layer_TESTS_USE})
  endif()
endfunction()

# Files of a folder include the same headers, which take most of the time: up to eight files are compiled as one (24 where
# sojourn_build_quickly is asked for), which takes less than half as long.  So names in their unnamed namespaces must differ, or cmake/separate.cmake names the file.
# With -DSOJOURN_TOGETHER=OFF each file is compiled alone: quicker for work on a single file.  tools/mutants does that, and
# the preset `clang`, which shows whether each file includes what it uses.
option(SOJOURN_TOGETHER "Compile the files of a folder together" ON)
function(sojourn_compile_together target)
  if(SOJOURN_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# Code outside the packet path is optimized less, which saves a third of its compile time.
function(sojourn_build_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -O1 g++ 12 falsely reports reads beyond temporary strings (GCC bug 105651).
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Wno-array-bounds>)
  endif()
  set_target_properties(${target} PROPERTIES SOJOURN_QUICK ON UNITY_BUILD_BATCH_SIZE 24)
endfunction()

# sojourn_test(NAME source...): a GoogleTest program whose cases ctest runs one by one.
function(sojourn_test name)
  add_executable(${name} ${ARGN})
  sojourn_compile_together(${name})
  sojourn_build_quickly(${name})
  # A name in the unnamed namespace of one test may be a local name in another.
  set_property(TARGET ${name} PROPERTY SOJOURN_MAY_SHADOW ON)
  target_link_libraries(${name} PRIVATE sojourn_compiler GTest::gtest_main)
  sojourn_precompile(${name})
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests ${name})
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST TEST_FILTER -${sojourn_long_cases}
    PROPERTIES LABELS unit ${sojourn_computes})
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST TEST_FILTER ${sojourn_long_cases}
    PROPERTIES LABELS unit_long ${sojourn_computes})
endfunction()

# Experiments and statistics that `make test` leaves to `make test-long`.  Each has a shorter relative that stays: another
# experiment of the same kind, or the same test with other traffic.
set(sojourn_long_cases Recorded.L1* Recorded.L2* Recorded.L5* Recorded.L6* Recorded.L7* L2.FlowsMislead* Intervals.OfIndependent*
  *IsUnbiasedOnTwoCpus* *IsUnbiasedAtEverySize/rising *IsUnbiasedAtEverySize/unanswered *IntervalsOf.*/correlated
  *IntervalsOf.*/heavytailed)
list(JOIN sojourn_long_cases ":" sojourn_long_cases)

# How many of ctest's slots a test takes, of which there are five for each core (Makefile).  The default is one: such a
# test mostly waits for timers and peers.
set(sojourn_computes PROCESSORS 3)
# Measures time, and needs a machine that is at most half busy.
set(sojourn_is_timed PROCESSORS 5)

include(GoogleTest)
include(precompiled)
include(separate)
