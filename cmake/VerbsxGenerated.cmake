# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# verbsx_generated: the folder with the generated C, either the committed one or, with VERBSX_REGENERATE, one in
# the build tree that is made from the headers at hand. Its files are those of templates/, less ".j2".

file(GLOB verbsx_templates RELATIVE ${PROJECT_SOURCE_DIR}/templates CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/templates/src/*.j2 ${PROJECT_SOURCE_DIR}/templates/include/verbsx/*.j2)
list(TRANSFORM verbsx_templates REPLACE "\\.j2$" "" OUTPUT_VARIABLE verbsx_generated_files)

set(verbsx_generated ${PROJECT_SOURCE_DIR}/generated)
if(VERBSX_REGENERATE)
  set(verbsx_generated ${PROJECT_BINARY_DIR}/generated)
endif()
list(TRANSFORM verbsx_generated_files PREPEND ${verbsx_generated}/)
set(verbsx_generated_sources ${verbsx_generated_files})
list(FILTER verbsx_generated_sources INCLUDE REGEX "\\.c$")
set(verbsx_generated_headers ${verbsx_generated_files})
list(FILTER verbsx_generated_headers INCLUDE REGEX "/include/verbsx/[^/]*\\.h$")

if(NOT VERBSX_REGENERATE)
  return()
endif()

include(VerbsxPython)
file(GLOB_RECURSE verbsx_generator CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gen/*.py
     ${PROJECT_SOURCE_DIR}/gen/*.toml ${PROJECT_SOURCE_DIR}/gen/*.json ${PROJECT_SOURCE_DIR}/templates/*.j2)
set(verbsx_headers_option --headers)
if(VERBSX_RDMA_INCLUDE)
  list(APPEND verbsx_headers_option ${VERBSX_RDMA_INCLUDE})
endif()

# The generator leaves a file alone whose content stays the same, so what tells its last run is a stamp.
set(verbsx_stamp ${PROJECT_BINARY_DIR}/generated.stamp)
add_custom_command(
  OUTPUT ${verbsx_stamp}
  BYPRODUCTS ${verbsx_generated_files}
  COMMAND ${verbsx_python} -m gen emit --release ${verbsx_release} ${verbsx_headers_option}
          --output ${verbsx_generated}
  COMMAND ${CMAKE_COMMAND} -E touch ${verbsx_stamp}
  DEPENDS ${verbsx_generator}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Generating from the headers of rdma-core ${verbsx_release}"
  VERBATIM)
add_custom_target(verbsx-generate DEPENDS ${verbsx_stamp})
