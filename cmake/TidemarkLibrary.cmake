# Compiler flags and the helpers by which every folder declares its targets.

add_library(tidemark_flags INTERFACE)
target_include_directories(tidemark_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_features(tidemark_flags INTERFACE cxx_std_20)
# A program that Tidemark is built in decides on its own warnings.
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(tidemark_flags INTERFACE
    -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
endif()
# What g++ 12 and 13 see after inlining at -O3 where there is nothing: overlapping copies in the concatenation of
# strings (GCC bug 105651), and uninitialised members of moved strings and variants (bug 105562 and its kin).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tidemark_flags INTERFACE
    $<$<CONFIG:Release>:-Wno-restrict -Wno-maybe-uninitialized>)
endif()
if(TIDEMARK_WERROR AND PROJECT_IS_TOP_LEVEL)
  target_compile_options(tidemark_flags INTERFACE -Werror)
endif()

# Column loops gain from AVX2; a machine without it gets the compiler's default instead of a crash.
if(TIDEMARK_ARCH STREQUAL "auto")
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"x86-64-v3\") ? 0 : 1; }"
                        TIDEMARK_RUNS_X86_64_V3)
  if(TIDEMARK_RUNS_X86_64_V3)
    set(tidemark_arch x86-64-v3)
  else()
    set(tidemark_arch "")
  endif()
else()
  set(tidemark_arch "${TIDEMARK_ARCH}")
endif()
if(tidemark_arch)
  target_compile_options(tidemark_flags INTERFACE -march=${tidemark_arch})
endif()
message(STATUS "Tidemark: -march=${tidemark_arch}")

if(TIDEMARK_SANITIZE)
  target_compile_options(tidemark_flags INTERFACE
    -fsanitize=${TIDEMARK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tidemark_flags INTERFACE -fsanitize=${TIDEMARK_SANITIZE})
endif()

find_program(TIDEMARK_CCACHE ccache)
if(TIDEMARK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TIDEMARK_CCACHE})
endif()
find_program(TIDEMARK_MOLD mold)
find_program(TIDEMARK_LLD ld.lld)
if(TIDEMARK_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(TIDEMARK_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# tidemark_library(<folder> SOURCES ... DEPENDS ... [PRIVATE_DEPENDS ...] [PROTOS ...])
# Makes the static library tidemark_<folder> from the folder's sources.
function(tidemark_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS;PROTOS" ${ARGN})
  add_library(tidemark_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tidemark_${name} PUBLIC tidemark_flags ${ARG_DEPENDS}
                                         PRIVATE ${ARG_PRIVATE_DEPENDS})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  foreach(proto ${ARG_PROTOS})
    string(REPLACE ".proto" ".pb" stem ${proto})
    set(out ${PROJECT_BINARY_DIR}/generated/tidemark/${name}/${stem})
    add_custom_command(
      OUTPUT ${out}.cc ${out}.h
      COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR} --cpp_out=${PROJECT_BINARY_DIR}/generated
              ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    target_sources(tidemark_${name} PRIVATE ${out}.cc ${out}.h)
    set_source_files_properties(${out}.cc PROPERTIES COMPILE_OPTIONS "-w")
    target_link_libraries(tidemark_${name} PUBLIC protobuf::libprotobuf)
  endforeach()
endfunction()

# tidemark_test(<name> SOURCES ... DEPENDS ...): a GoogleTest program whose tests ctest runs.
function(tidemark_test name)
  if(NOT TIDEMARK_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;DEFINITIONS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE tidemark_flags ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  # A test is compiled once for each change and run for a moment.
  target_compile_options(${name} PRIVATE -O0)
  target_compile_definitions(${name} PRIVATE TIDEMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             TIDEMARK_BINARY_DIR="${PROJECT_BINARY_DIR}" ${ARG_DEFINITIONS})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()

# tidemark_benchmark(<name> SOURCES ... DEPENDS ...): a program under bench/ that measures (bench/measure.h).
# `make bench` runs it; ctest runs it with tiny inputs, which shows that the results agree.
function(tidemark_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_link_libraries(${name} PRIVATE tidemark_flags tidemark_bench ${ARG_DEPENDS})
  add_dependencies(benchmarks ${name})
  if(TIDEMARK_TESTS)
    add_test(NAME bench.${name} COMMAND ${name} --quick)
    set_tests_properties(bench.${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()
