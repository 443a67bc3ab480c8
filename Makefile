# Short names for what CMake, ninja and ctest do.  `make` alone lists them.
#
#     make test JOBS=4            use four cores (default: all)
#     make fuzz MINUTES=60        fuzz each target for an hour
#     make install PREFIX=/usr    default /usr/local

JOBS ?= $(shell nproc)
MINUTES ?= 10
FUZZ_SECONDS ?= 15
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
ctest := ctest --output-on-failure -j $(JOBS)

.PHONY: help build demo test test-sanitizers test-clang test-threads bench fuzz format install clean

help:
	@echo 'make demo          build, and show the delays in a recorded capture'
	@echo 'make build         build build/release/sojourn'
	@echo 'make test          all tests; the program under sanitizers; fuzzers for a short while'
	@echo 'make test-sanitizers  the unit tests, too, with AddressSanitizer and UBSan'
	@echo 'make test-clang    build everything with clang and run the unit tests'
	@echo 'make test-threads  the same with ThreadSanitizer'
	@echo 'make bench         packets per second, beside other tools'
	@echo 'make fuzz          run each fuzzer for MINUTES=$(MINUTES)'
	@echo 'make format        format the sources'
	@echo 'make install       install to PREFIX=$(PREFIX)'
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

# The cheap and strict things first; ctest of the release build last, so that its summary and
# the list of skipped tests end the output.
test:
	@tools/setup test
	@cmake --preset release $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/release --parallel $(JOBS)
	@cmake --preset fuzz $(strict) $(quiet)
	@cmake --build build/fuzz --parallel $(JOBS) --target sojourn tests/fuzz/all
	@echo; echo '== fuzzers, $(FUZZ_SECONDS) seconds each'
	@FUZZ_SEED=1 tools/fuzz build/fuzz $(FUZZ_SECONDS) $(JOBS)
	@echo; echo '== the program under AddressSanitizer and UndefinedBehaviorSanitizer'
	@$(ctest) --test-dir build/fuzz -L 'robust|golden|command_line|oneway'
	@echo; echo '== release'
	@$(ctest) --test-dir build/release -LE robust

# Compiles everything once more, so it is not part of `make test`.
test-sanitizers:
	@tools/setup test
	@cmake --preset debug $(strict) $(quiet)
	@cmake --build build/debug --parallel $(JOBS)
	@$(ctest) --test-dir build/debug -LE 'live|truth|peers|architecture|tables|lab'

test-clang:
	@tools/setup test
	@cmake --preset clang $(strict) -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/clang --parallel $(JOBS)
	@$(ctest) --test-dir build/clang -L unit

test-threads:
	@tools/setup test
	@cmake --preset threads $(strict) $(quiet)
	@cmake --build build/threads --parallel $(JOBS)
	@$(ctest) --test-dir build/threads -L unit

bench:
	@tools/setup bench
	@test -e build/release/CMakeCache.txt || cmake --preset release -DSOJOURN_TESTS=OFF $(quiet)
	@cmake build/release -DSOJOURN_BENCH=ON $(quiet)
	@cmake --build build/release --parallel $(JOBS) --target sojourn bench/all
	@bench/run.py
	@echo; bench/oneway.py build/release/sojourn

fuzz:
	@tools/setup test
	@cmake --preset fuzz $(quiet)
	@cmake --build build/fuzz --parallel $(JOBS) --target tests/fuzz/all
	@tools/fuzz build/fuzz $$(($(MINUTES) * 60)) $(JOBS)

format:
	@tools/setup format
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
