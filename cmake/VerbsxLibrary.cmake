# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The targets: verbsx (shared) and verbsx-static, from one set of objects.

file(GLOB verbsx_runtime_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/src/*/*.c)
file(GLOB verbsx_runtime_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/include/verbsx/*.h)
set(verbsx_sources ${verbsx_runtime_sources} ${verbsx_generated_sources})
if(NOT VERBSX_LOADER)
  list(FILTER verbsx_sources EXCLUDE REGEX "/loader[a-z_]*\\.c$")
endif()

# Hundreds of functions of one or two instructions, and of one shape: small is fast, nothing unwinds through a jump, and for
# traced calls what unwinding takes would be half of what they are.
set(verbsx_thin_sources ${verbsx_generated_sources})
list(FILTER verbsx_thin_sources INCLUDE REGEX "/(loader|trace)\\.c$")

# Only names, text, making and closing objects, and what stands before posts and polls run often enough for speed to count; all else of the runtime is small.
set(verbsx_cold_sources ${verbsx_runtime_sources} ${verbsx_generated_sources})
list(FILTER verbsx_cold_sources INCLUDE REGEX "/runtime/src/|/(by_post|methods|queries|rare|tap_wr)\\.c$")
list(FILTER verbsx_cold_sources EXCLUDE REGEX "/text/(block|enum|number|out|print|read|style|walk)\\.c$")
list(FILTER verbsx_cold_sources EXCLUDE REGEX "/(cm/cm_event|guard/guard(_cq)?|post/post_fail|object/(close|event|object|registry))\\.c$")

# Hundreds of functions of some lines each, that ask rdma-core once: these passes of gcc look at all of them, find next to nothing, and
# take half of the time. What they make of it has the same size.
set(verbsx_plain_sources ${verbsx_generated_sources})
list(FILTER verbsx_plain_sources INCLUDE REGEX "/(by_post|loader|methods|queries|rare|tap_wr|trace)\\.c$")
set(verbsx_plain -fno-code-hoisting -fno-gcse -fno-rerun-cse-after-loop -fno-schedule-insns2 -fno-tree-ccp -fno-tree-dominator-opts -fno-tree-dse
                 -fno-tree-fre -fno-tree-pre -fno-tree-pta -fno-tree-sra -fno-tree-vrp -fno-var-tracking)

# What of these is called once for an object, or now and then: registers are given out in one go, as so much code of few lines leaves little
# to choose, and values are not followed from one line to the next. It becomes somewhat smaller, in nine tenths of the time.
set(verbsx_once_sources ${verbsx_generated_sources})
list(FILTER verbsx_once_sources INCLUDE REGEX "/(methods|queries|rare)\\.c$")
set(verbsx_once -fira-algorithm=priority -fno-cse-follow-jumps -fno-forward-propagate -fno-ree)

# Making objects clears structures of a hundred bytes, and so does telling events. For some, gcc takes an instruction that clears a string: processors
# take longer to begin with it than four stores a turn take for all of it.
set(verbsx_clearing_sources ${verbsx_runtime_sources} ${verbsx_generated_sources})
list(FILTER verbsx_clearing_sources INCLUDE REGEX "/(cm/cm_event|generated/src/objects|object/event|text/print)\\.c$")

# What all kinds are made and closed by, and tell their events by; also the rest of it lies side by side.
set(verbsx_object_sources ${verbsx_runtime_sources})
list(FILTER verbsx_object_sources INCLUDE REGEX "/(cm/cm_event|object/(close|event|object|registry))\\.c$")

# What stands before posts and polls and says why they failed, and what prints: small functions, of which each would begin at a multiple of 16.
set(verbsx_close_sources ${verbsx_runtime_sources})
list(FILTER verbsx_close_sources INCLUDE REGEX "/(guard/guard(_cq)?|post/post_fail|text/[a-z_]+)\\.c$")

# Rooms and files from which nobody calls a program or waits, as builders, which only write to a queue, so that no cancelled thread is ever
# unwound through them; a debugger has .debug_frame. What unwinding takes would be 31 kB.
set(verbsx_leaf_sources ${verbsx_runtime_sources} ${verbsx_generated_sources})
list(FILTER verbsx_leaf_sources INCLUDE REGEX
     "/runtime/src/((error|know|reason|text)/|gid/gid_choice\\.c$|guard/(guard|guard_opcode|guard_step|region)\\.c$|handshake/handshake_(agree|fail|wire)\\.c$|object/(adopt|elements|later|make|registry)\\.c$|path/(path|path_parse|path_text)\\.c$|sa/cache\\.c$|sa/mad\\.c$|trace/trace\\.c$|(mlx5|verbs)/(flow|header|mlx5_cmd|mlx5_wqe|reason_mlx5_rule)\\.c$)|/(guard_w[cr]|mends)\\.c$")

include(CheckCCompilerFlag)
include(CheckSymbolExists)
check_c_compiler_flag(-Oz verbsx_is_smaller_by_oz) # clang, gcc from 12 on
check_c_compiler_flag(-fno-plt verbsx_has_no_plt)
check_c_compiler_flag(-fno-lto verbsx_knows_no_lto)
check_c_compiler_flag(-malign-data=abi verbsx_aligns_as_abi) # gcc, for x86
check_symbol_exists(__x86_64__ stdio.h verbsx_is_for_x86_64)
set(verbsx_clear_by_loops "-mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign")
check_c_compiler_flag(${verbsx_clear_by_loops} verbsx_can_clear_by_loops) # gcc, for x86

# Not for a debugger, which wants code as it is written.
set(verbsx_smallest $<$<NOT:$<CONFIG:Debug>>:$<IF:$<BOOL:${verbsx_is_smaller_by_oz}>,-Oz,-Os>>)

# Properties of sources hold in one folder: for a library of another folder that is to be the same.
function(verbsx_size_options)
  set_source_files_properties(${verbsx_thin_sources} PROPERTIES COMPILE_OPTIONS "${verbsx_smallest};-fno-asynchronous-unwind-tables")
  set_source_files_properties(${verbsx_cold_sources} PROPERTIES COMPILE_OPTIONS ${verbsx_smallest})
  set_property(SOURCE ${verbsx_leaf_sources} APPEND PROPERTY COMPILE_OPTIONS -fno-asynchronous-unwind-tables)
  foreach(option IN LISTS verbsx_plain)
    set_property(SOURCE ${verbsx_plain_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:${option}>)
  endforeach()
  foreach(option IN LISTS verbsx_once)
    set_property(SOURCE ${verbsx_once_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:${option}>)
  endforeach()
  if(verbsx_can_clear_by_loops)
    set_property(SOURCE ${verbsx_clearing_sources} APPEND PROPERTY COMPILE_OPTIONS ${verbsx_clear_by_loops})
  endif()
  # What only failures reach stays in its function, which takes less room, but for what objects are made and closed by: while rdma-core made
  # one, that has left the caches, and it comes back line by line. Functions lie side by side. Of other processors that is not known, and
  # those of s390x do not reach that far by each jump.
  set_property(SOURCE ${verbsx_generated_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-fno-reorder-blocks-and-partition>)
  if(verbsx_is_for_x86_64)
    set_property(SOURCE ${verbsx_clearing_sources} ${verbsx_object_sources} APPEND PROPERTY
                 COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-freorder-blocks-and-partition>)
  endif()
  set_property(SOURCE ${verbsx_generated_sources} ${verbsx_object_sources} ${verbsx_close_sources} APPEND PROPERTY
               COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-fno-align-functions>)
  # Loops are short, and go round a few times: what would be left empty before them is 2 kB.
  set_property(SOURCE ${verbsx_generated_sources} ${verbsx_runtime_sources} APPEND PROPERTY
               COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-fno-align-jumps> $<$<C_COMPILER_ID:GNU>:-fno-align-loops>)
  # Tests hold generated objects to it that no table of theirs has an address; those that compilers make of a switch would.
  set_property(SOURCE ${verbsx_generated_sources} APPEND PROPERTY COMPILE_OPTIONS -fno-jump-tables)
endfunction()
verbsx_size_options()

set(verbsx_config ${PROJECT_BINARY_DIR}/include/verbsx/config.h)
set(verbsx_headers ${verbsx_runtime_headers} ${verbsx_generated_headers} ${verbsx_config})
set(verbsx_include ${PROJECT_SOURCE_DIR}/runtime/include ${verbsx_generated}/include
                   ${PROJECT_BINARY_DIR}/include)
configure_file(cmake/config.h.in ${verbsx_config} @ONLY)

set(verbsx_warnings -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings)
if(VERBSX_WERROR)
  list(APPEND verbsx_warnings -Werror)
endif()

# How every piece of C of this project is compiled; tests and examples use it as well.
function(verbsx_compile target)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE ${verbsx_warnings})
endfunction()

# The runtime for libraries of tests: a room is one source that includes its files, as most of what a compiler does to one is to read
# headers. What is shipped is compiled file by file, so that each has to include what it needs. Macros are of their file.
set(verbsx_rooms "")
set(verbsx_room_text "/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */\n/* By cmake, which knows of a new macro when it is run again. */\n#define _GNU_SOURCE\n")
foreach(source IN LISTS verbsx_runtime_sources)
  if(NOT source IN_LIST verbsx_sources)
    continue()
  endif()
  string(REGEX REPLACE "/[^/]*$" "" folder ${source})
  get_filename_component(room ${folder} NAME)
  set(file ${PROJECT_BINARY_DIR}/rooms/${room}.c)
  if(NOT file IN_LIST verbsx_rooms)
    list(APPEND verbsx_rooms ${file})
    set(text_of_${room} "${verbsx_room_text}")
  endif()
  string(APPEND text_of_${room} "#include \"${source}\"\n")
  file(READ ${source} code)
  string(REGEX MATCHALL "\n#define [A-Za-z0-9_]+" macros "${code}")
  foreach(macro IN LISTS macros)
    string(REPLACE "\n#define " "#undef " macro "${macro}")
    if(NOT macro STREQUAL "#undef _GNU_SOURCE")
      string(APPEND text_of_${room} "${macro}\n")
    endif()
  endforeach()
endforeach()
foreach(file IN LISTS verbsx_rooms)
  get_filename_component(room ${file} NAME_WE)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text_of_${room}}" @ONLY)
endforeach()

# A library of all sources, such as verbsx_sources_library(verbsx-asan STATIC BY_ROOM) for a test with other flags.
function(verbsx_sources_library target kind)
  if(ARGN STREQUAL BY_ROOM)
    add_library(${target} ${kind} ${verbsx_rooms} ${verbsx_generated_sources})
  else()
    add_library(${target} ${kind} ${verbsx_sources})
  endif()
  verbsx_compile(${target})
  if(ARGN STREQUAL BY_ROOM)
    target_compile_options(${target} PRIVATE -Wno-shadow) # a name of another file
  endif()
  target_compile_definitions(${target} PRIVATE VERBSX_BUILDING)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # A section each, so that a linker can leave out what nobody uses, such as most of what stands in for rdma-core.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  # Many small tables: none is copied by vectors, for which gcc would begin each at a multiple of 32 bytes.
  if(verbsx_aligns_as_abi)
    target_compile_options(${target} PRIVATE -malign-data=abi)
  endif()
  # What the C library is called by is found once, by the loader: no line of code is fetched to jump on.
  if(verbsx_has_no_plt)
    target_compile_options(${target} PRIVATE -fno-plt)
  endif()
  # What a linker would optimise has names of its own, which VerbsxHide.cmake cannot change: a program would look for what objects of the archive
  # share by names that it has no more. And what the tests measure is what is shipped.
  if(verbsx_knows_no_lto)
    target_compile_options(${target} PRIVATE -fno-lto)
  endif()
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  # -O3 makes it larger and no faster.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/src ${verbsx_generated}/src)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${verbsx_include}>")
  target_include_directories(${target} SYSTEM PUBLIC "$<BUILD_INTERFACE:${verbsx_rdma_include}>")
  target_link_libraries(${target} PUBLIC verbsx::rdma-core)
  if(VERBSX_REGENERATE)
    set_source_files_properties(${verbsx_generated_files} PROPERTIES GENERATED ON)
    add_dependencies(${target} verbsx-generate)
  endif()
endfunction()

# What is made of the objects, for use by others.
function(verbsx_product target kind)
  add_library(${target} ${kind} $<TARGET_OBJECTS:verbsx-objects>)
  add_library(verbsx::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME verbsx LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE "$<BUILD_INTERFACE:${verbsx_include}>"
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${target} SYSTEM INTERFACE "$<BUILD_INTERFACE:${verbsx_rdma_include}>")
endfunction()

# Tests that build all of it once more, elsewhere, to know that it can be built.
set(verbsx_by_room "")
if(VERBSX_BY_ROOM)
  set(verbsx_by_room BY_ROOM)
  set_source_files_properties(${verbsx_rooms} PROPERTIES COMPILE_OPTIONS ${verbsx_smallest})
endif()
verbsx_sources_library(verbsx-objects OBJECT ${verbsx_by_room})

verbsx_product(verbsx SHARED)
set(verbsx_map ${verbsx_generated}/src/libverbsx.map)
set_target_properties(verbsx PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${verbsx_map})
target_link_options(verbsx PRIVATE LINKER:--version-script=${verbsx_map} LINKER:-z,defs LINKER:--gc-sections
                    LINKER:-Bsymbolic-functions)
target_link_libraries(verbsx PRIVATE verbsx::rdma-core)

verbsx_product(verbsx-static STATIC)
target_link_libraries(verbsx-static INTERFACE verbsx::rdma-core)
if(CMAKE_OBJCOPY AND CMAKE_NM)
  add_custom_command(
    TARGET verbsx-static
    POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DARCHIVE=$<TARGET_FILE:verbsx-static> -DMAP=${verbsx_map} -DNM=${CMAKE_NM}
            -DOBJCOPY=${CMAKE_OBJCOPY} -P ${PROJECT_SOURCE_DIR}/cmake/VerbsxHide.cmake
    VERBATIM)
endif()

# The same with the names that its objects share, for tests of these.
verbsx_product(verbsx-open STATIC)
set_target_properties(verbsx-open PROPERTIES OUTPUT_NAME verbsx-open EXCLUDE_FROM_ALL ON)
target_link_libraries(verbsx-open INTERFACE verbsx::rdma-core)
