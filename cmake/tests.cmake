# uc_tool_test(name KIND nvcc|nvcc-matrix|gpu COMMAND ... [TIMEOUT seconds]): a test that needs a tool.
#   nvcc         compiles kernels; a chosen few, run by `make test` (35-60 s and 3.5 GB for one SM90 file)
#   nvcc-matrix  the rest of them, run by `make test-nvcc` only
#   gpu          runs kernels; `make test-gpu` only
# The command exits with 77 when its tool is missing: the test is then skipped, and says why in its output.
# Two of the same kind never run at once.
function(uc_tool_test name)
  cmake_parse_arguments(ARG "" "KIND;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT ARG_KIND MATCHES "^(nvcc|nvcc-matrix|gpu)$")
    message(FATAL_ERROR "uc_tool_test(${name}): KIND is nvcc, nvcc-matrix or gpu, not '${ARG_KIND}'")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 900)
  endif()
  if(ARG_KIND STREQUAL gpu)
    set(lock gpu)
  else()
    set(lock nvcc)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_KIND} RESOURCE_LOCK ${lock} SKIP_RETURN_CODE 77
                       TIMEOUT ${ARG_TIMEOUT})
endfunction()
