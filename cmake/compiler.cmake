# Compiler options of every target.
add_library(sojourn_compiler INTERFACE)
# Of files that are compiled together clang complains if a header has a local name that is in the unnamed namespace of an
# earlier file; with the preset `clang` they are compiled one by one.
set(may_shadow "$<OR:$<BOOL:$<TARGET_PROPERTY:SOJOURN_MAY_SHADOW>>,$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>")
target_compile_options(sojourn_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion $<$<NOT:${may_shadow}>:-Wshadow>)

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
  # g++ 12 falsely reports overflows in std::string and std::vector (GCC bug 105651).
  # It treats files that are compiled together as headers, where types of an unnamed namespace would be an error.
  target_compile_options(sojourn_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-stringop-overflow -Wno-subobject-linkage>)
endif()
