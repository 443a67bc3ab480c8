# Short names for what CMake, ninja and ctest do.  `make` alone lists them.
#
#     make test JOBS=4            use four cores (default: all)
#     make fuzz MINUTES=60        fuzz each target for an hour
#     make mutants N=100 SEED=1   break 100 random lines, one at a time
#     make install PREFIX=/usr    default /usr/local; with DESTDIR=FOLDER into a folder to be packed

JOBS ?= $(shell nproc)
MINUTES ?= 10
FUZZ_SECONDS ?= 15
N ?= 100
SEED ?= 1
PREFIX ?= /usr/local
DEMO ?= tests/captures/demo.pcapng

# ccache spares the second compilation of the same text; without it nothing else changes.
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

# The tests' builds accept no warning.
strict := -DSOJOURN_TESTS=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
quiet := >/dev/null
tests := tools/run_tests
# Five places for each core; tests that compute take three of them, those that wait for timers one (cmake/layers.cmake).
export CTEST_PARALLEL_LEVEL ?= $(shell expr $(JOBS) \* 5)
# The unit tests of every folder that starts threads, or may be called from several (library).
threaded := core_test pipeline_test pipeline_reference_test library_test collector_test ipfix_transport_test alarm_test web_test
# Statistics that take minutes under a sanitizer and run in the release build anyway.
slow_when_sanitized := Statistics|Traffic/|^Tailored\.|SampleWeight|^L2\.|IsUnbiased|IsBiased|^Repeats

.PHONY: help build demo demo-live demo-marking test test-long test-sanitizers test-traces test-clang test-threads check-format mutants bench fuzz format install packages clean

help:
	@echo 'make demo          build, and show the delays in a recorded capture'
	@echo 'make demo-live     build, and show a page of delays that move: an emulated path (root)'
	@echo 'make demo-marking  build, and mark live packets between namespaces with a router between (root)'
	@echo 'make build         build build/release/sojourn'
	@echo 'make test          all tests but those that take long'
	@echo 'make test-long     those that take long, and the benchmarks as tests'
	@echo 'make test-sanitizers  the same with clang, AddressSanitizer and UBSan; fuzzers for a short while'
	@echo 'make test-traces   recorded captures beside tshark and through the kernel, all of them'
	@echo 'make test-threads  what has threads with ThreadSanitizer'
	@echo 'make test-clang    an optimized build of everything with clang, and its unit tests'
	@echo 'make check-format  are the sources formatted?'
	@echo 'make mutants       which broken lines does no unit test notice? (N=$(N) SEED=$(SEED))'
	@echo 'make bench         packets per second, beside other tools'
	@echo 'make fuzz          run each fuzzer for MINUTES=$(MINUTES)'
	@echo 'make format        format the sources'
	@echo 'make install       install to PREFIX=$(PREFIX)'
	@echo 'make packages      Debian packages in build/packages'
	@echo 'make clean         remove build/'
	@echo
	@echo 'As root, each installs the Debian packages it needs; otherwise it names them.'

# Whoever only wants the program needs none of the tests' packages.
build:
	@tools/setup build
	@test -e build/release/CMakeCache.txt || \
	  cmake --preset release -DSOJOURN_TESTS=OFF -DSOJOURN_BENCH=OFF $(quiet)
	@cmake --build build/release --parallel $(JOBS) --target sojourn

demo: build
	@echo
	build/release/sojourn rtt $(DEMO)

# Until Ctrl-C; everything that it made is taken down again.
demo-live: build
	@tools/setup demo-live
	@cmake --build build/release --parallel $(JOBS) --target sojourn-emulator
	@tools/demo_live build/release/sojourn build/release/sojourn-emulator $(PORT)

demo-marking: build
	@tools/setup demo-live
	@cmake --build build/release --parallel $(JOBS) --target sojourn-emulator
	@tests/live/marking/marking.sh build/release/sojourn build/release/sojourn-emulator demo

test:
	@tools/setup test
	@cmake --preset release $(strict) -DSOJOURN_BENCH=OFF $(quiet)
	@cmake --build build/release --parallel $(JOBS)
	@$(tests) build/release -LE 'robust|long'

# Long experiments and statistics, the longer forms of live tests, and the benchmarks, which are only asked whether they run.
test-long:
	@tools/setup test
	@cmake --preset release $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/release --parallel $(JOBS)
	@$(tests) build/release -L long

# Everything is built once more with clang, AddressSanitizer and UndefinedBehaviorSanitizer, the library, the Python
# module, the benchmarks and the test bed included.  Run are the unit tests, the program on every file that may hurt it,
# and the fuzzers for a short while.
test-sanitizers:
	@tools/setup test
	@cmake --preset fuzz $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/fuzz --parallel $(JOBS)
	@echo; echo '== fuzzers, $(FUZZ_SECONDS) seconds each'
	@FUZZ_SEED=1 tools/fuzz build/fuzz $(FUZZ_SECONDS) $(JOBS)
	@echo; echo '== AddressSanitizer and UndefinedBehaviorSanitizer'
	@$(tests) build/fuzz -L 'unit|robust|golden|command_line|oneway' -E '$(slow_when_sanitized)'

# Every recorded capture of $SOJOURN_TRACES or ../shared/traces, not only the small ones: a quarter of an hour.
test-traces:
	@tools/setup test
	@cmake --preset release $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/release --parallel $(JOBS)
	@SOJOURN_ALL_TRACES=1 $(tests) build/release -R 'traces|coverage|dataplane_replay$$|dataplane_replay_marking|dataplane_selection|lab_captures|robust'

# The test programs of what has threads.
test-threads:
	@tools/setup test
	@cmake --preset threads $(strict) $(quiet)
	@cmake --build build/threads --parallel $(JOBS) --target $(threaded)
	@echo; echo '== ThreadSanitizer'
	@$(tests) build/threads -L unit -E 'NOT_BUILT|^AlarmStatistics'

test-clang:
	@tools/setup test
	@cmake --preset clang $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/clang --parallel $(JOBS)
	@$(tests) build/clang -L unit

check-format:
	@tools/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run -Werror && echo 'the sources are formatted'

# Breaks one random line at a time: which breaks does no unit test notice?  Takes an hour; not part of CI.
mutants:
	@tools/setup test
	@tools/mutants --number $(N) --seed $(SEED) --jobs $(JOBS)

bench:
	@tools/setup bench
	@test -e build/release/CMakeCache.txt || cmake --preset release -DSOJOURN_TESTS=OFF $(quiet)
	@cmake build/release -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/release --parallel $(JOBS) --target sojourn bench/all
	@bench/run.py
	@echo; bench/oneway.py build/release/sojourn
	@echo; build/release/bench/sojourn-bench-kernel || test $$? -eq 77
	@echo; bench/kernel_live.py || test $$? -eq 77
	@echo; build/release/bench/sojourn-bench-ipfix
	@echo; build/release/bench/bench_store

fuzz:
	@tools/setup test
	@cmake --preset fuzz $(quiet)
	@cmake --build build/fuzz --parallel $(JOBS) --target tests/fuzz/all
	@tools/fuzz build/fuzz $$(($(MINUTES) * 60)) $(JOBS)

format:
	@tools/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

install: build
	@tools/setup python || true
	@cmake build/release $(quiet)
	@cmake --build build/release --parallel $(JOBS) --target installable
	@cmake --install build/release --prefix $(PREFIX)
ifeq ($(DESTDIR),)
	@test "$$(id -u)" -ne 0 || ldconfig  # so that programs find libsojourn.so at once
endif

packages: build
	@tools/setup packages
	@cmake build/release $(quiet)
	@cmake --build build/release --parallel $(JOBS) --target installable
	@cd build/release && cpack -B ../packages
	@rm -rf build/packages/_CPack_Packages

clean:
	rm -rf build
