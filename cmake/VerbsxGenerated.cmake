# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The generated C: verbsx_generated, its folder, verbsx_generated_sources and verbsx_generated_headers. Either what is
# committed or, with VERBSX_REGENERATE, what the generator makes in the build tree from the headers at hand.

if(NOT VERBSX_REGENERATE)
  set(verbsx_generated ${PROJECT_SOURCE_DIR}/generated)
  file(GLOB verbsx_generated_sources CONFIGURE_DEPENDS ${verbsx_generated}/src/*.c)
  file(GLOB verbsx_generated_headers CONFIGURE_DEPENDS ${verbsx_generated}/include/verbsx/*.h)
  return()
endif()

include(VerbsxPython)

# What it compiles has the names of what is committed, whatever headers it reads; a group of headers that is none of the committed ones
# brings a public header more.
set(verbsx_committed ${PROJECT_SOURCE_DIR}/generated)
set(verbsx_generated ${PROJECT_BINARY_DIR}/generated)
set(verbsx_templates ${PROJECT_SOURCE_DIR}/templates)
file(GLOB verbsx_generated_files RELATIVE ${verbsx_committed} CONFIGURE_DEPENDS
     ${verbsx_committed}/src/* ${verbsx_committed}/include/verbsx/*)
list(TRANSFORM verbsx_generated_files PREPEND ${verbsx_generated}/)
set(verbsx_generated_sources ${verbsx_generated_files})
list(FILTER verbsx_generated_sources INCLUDE REGEX "\\.c$")
set(verbsx_generated_headers ${verbsx_generated_files})
list(FILTER verbsx_generated_headers INCLUDE REGEX "/include/verbsx/[^/]*\\.h$")

file(GLOB_RECURSE verbsx_generator CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gen/*.py
     ${PROJECT_SOURCE_DIR}/gen/*.toml ${PROJECT_SOURCE_DIR}/gen/*.json ${PROJECT_SOURCE_DIR}/gen/*.txt ${verbsx_templates}/*.j2)
set(verbsx_headers_option --installed)
if(VERBSX_RDMA_INCLUDE)
  set(verbsx_headers_option --headers ${VERBSX_RDMA_INCLUDE})
endif()
foreach(file IN LISTS VERBSX_SYMBOLS)
  list(APPEND verbsx_headers_option --symbols ${file})
endforeach()
if(NOT VERBSX_LOADER)
  list(APPEND verbsx_headers_option --linked)
endif()
unset(verbsx_scanned CACHE)
find_path(verbsx_scanned infiniband/verbs.h HINTS ${verbsx_rdma_include})
file(GLOB verbsx_scanned_headers ${verbsx_scanned}/infiniband/*.h ${verbsx_scanned}/rdma/*.h)

# The generator leaves a file alone whose content stays the same, so what tells its last run is a stamp.
set(verbsx_stamp ${PROJECT_BINARY_DIR}/generated.stamp)
add_custom_command(
  OUTPUT ${verbsx_stamp}
  BYPRODUCTS ${verbsx_generated_files}
  COMMAND ${verbsx_python} -m gen emit --quiet --code --release ${verbsx_release} ${verbsx_headers_option}
          --output ${verbsx_generated}
  COMMAND ${CMAKE_COMMAND} -E touch ${verbsx_stamp}
  DEPENDS ${verbsx_generator} ${verbsx_scanned_headers} ${VERBSX_SYMBOLS}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Generating from the headers of rdma-core ${verbsx_release}"
  VERBATIM)
add_custom_target(verbsx-generate DEPENDS ${verbsx_stamp})
