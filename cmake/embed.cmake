# uc_embed(target name glob...): text files become `std::string_view uc::embedded::<name>(std::string_view file)`.
function(uc_embed target name)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/generated/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAME=${name} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_run.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_run.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
