# Files whose own names others of their folder have too, so that they are compiled one by one (sojourn_compile_together).
set(sojourn_separate_files
  alarm/alarm_statistics_test.cpp
  capture/files/pcapng_decoder_test.cpp
  dataplane/sample_weight_test.cpp
  estimate/distribution/flow_statistics_test.cpp
  estimate/distribution/shift_statistics_test.cpp
  estimate/distribution/shift_test.cpp
  estimate/measurement_test.cpp
  experiments/oneway/l6_cnf_accuracy.cpp
  experiments/oneway/l8_aggregate.cpp
  experiments/oneway/margins.cpp
  experiments/oneway/margins_test.cpp
  experiments/roundtrip/round_trip_experiments_test.cpp
  export/rtt/svg_heatmap.cpp
  export/rtt/svg_plot.cpp
  lab/request_trace_test.cpp
  oneway/marking/marking_live_doubts_test.cpp
  pipeline/kernel_plan_test.cpp
  pipeline/oneway/oneway_run_test.cpp
  pipeline/oneway/two_points_test.cpp
  pipeline/rtt_pipeline_test.cpp
  roundtrip/rules/tcp_handshake_test.cpp
  roundtrip/tables/fixed_memory_test.cpp
  roundtrip/tables/leased_table_test.cpp
  roundtrip/tables/staged_table_test.cpp
  store/question_test.cpp
  store/sqlite_store_test.cpp
  web/api/heatmap_test.cpp
  wire/headers/marking_option_test.cpp
  wire/tunnels_test.cpp
)
list(TRANSFORM sojourn_separate_files PREPEND ${CMAKE_SOURCE_DIR}/)
set_source_files_properties(${sojourn_separate_files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# A static library gives a program only the objects it needs: without the kernel engine it needs no libbpf.
file(GLOB kernel_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dataplane/*.cpp ${CMAKE_SOURCE_DIR}/dataplane/*/*.cpp
  ${CMAKE_SOURCE_DIR}/pipeline/kernel_*.cpp)
list(FILTER kernel_files EXCLUDE REGEX "_test\\.cpp$")
set_source_files_properties(${kernel_files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
