# What every target is compiled with.
add_library(sojourn_compiler INTERFACE)
target_compile_options(sojourn_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion $<$<NOT:$<BOOL:$<TARGET_PROPERTY:SOJOURN_MAY_SHADOW>>>:-Wshadow>)

# The project neither throws nor catches, but its libraries may: exceptions stay enabled.
if(SOJOURN_SANITIZE)
  target_compile_options(sojourn_compiler INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sojourn_compiler INTERFACE -fsanitize=address,undefined)
endif()
if(SOJOURN_SANITIZE_THREADS)
  target_compile_options(sojourn_compiler INTERFACE -fsanitize=thread)
  target_link_options(sojourn_compiler INTERFACE -fsanitize=thread)
endif()
if(SOJOURN_FUZZ)
  target_compile_options(sojourn_compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Rules without branches are written with & on purpose, std::stable_sort of libstdc++ 12 uses what C++17
  # deprecated, and libbpf's macros are C.
  target_compile_options(sojourn_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-bitwise-instead-of-logical
    -Wno-deprecated-declarations -Wno-c99-extensions -Wno-missing-designated-field-initializers
    -Wno-gnu-statement-expression-from-macro-expansion>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overflows in std::string and std::vector that are not there (GCC bug 105651).
  # It takes files that are compiled together for headers, where types of an unnamed namespace would be a fault.
  target_compile_options(sojourn_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-stringop-overflow -Wno-subobject-linkage>)
endif()
