# A folder of src/ is one static library `uc_<folder>`: its *.cpp files, less *_test.cpp, which make the test
# program `uc_<folder>_test`. Sources are globbed, so a new file needs no edit here.
add_library(uc_options INTERFACE)
target_include_directories(uc_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
# -Wno-restrict: g++ 12 reports false positives inside std::string.
target_compile_options(uc_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict -Werror)
if(UCUTLASS_SANITIZE)
  # g++ 12 takes variants under sanitizers for uninitialized.
  # float-cast-overflow is no part of `undefined`: a NaN or 1e30 made an integer is a mistake that we look for.
  set(UC_SANITIZERS -fsanitize=address,undefined,float-cast-overflow)
  target_compile_options(uc_options INTERFACE ${UC_SANITIZERS} -fno-sanitize-recover=undefined,float-cast-overflow -g1
                         -Wno-maybe-uninitialized)
  target_link_options(uc_options INTERFACE ${UC_SANITIZERS})
endif()
if(UC_FUZZ)
  # libFuzzer comes with clang, whose warnings are not the ones that this code is kept free of.
  target_compile_options(uc_options INTERFACE -w -g1 -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=undefined)
  target_link_options(uc_options INTERFACE -fsanitize=address,undefined)
endif()

function(uc_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(deps)
  foreach(dep ${ARG_DEPENDS})
    list(APPEND deps uc_${dep})
  endforeach()
  if(sources)
    add_library(uc_${name} STATIC ${sources})
    target_link_libraries(uc_${name} PUBLIC uc_options ${deps} PRIVATE ${ARG_LIBS})
  else()
    add_library(uc_${name} INTERFACE)
    target_link_libraries(uc_${name} INTERFACE uc_options ${deps})
  endif()
  if(UCUTLASS_TESTS AND tests)
    add_executable(uc_${name}_test ${tests})
    target_link_libraries(uc_${name}_test PRIVATE uc_${name} ${ARG_LIBS} GTest::gtest_main GTest::gmock)
    # Tests are compiled far more often than they run.
    target_compile_options(uc_${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
    # By name: layers above define it later.
    if(NOT name MATCHES "^(base|metrics|schedule|diag|platform|ir|catalog|syntax)$")
      target_link_libraries(uc_${name}_test PRIVATE uc_builtin)
    endif()
    target_compile_definitions(uc_${name}_test PRIVATE UC_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(uc_${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST)
  endif()
endfunction()
