# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Run at install: the guide, and the pages that it leads to, with links that hold where they are then:
#
#   guide.md, mistakes.md    docs/, and python-rdma.md
#   reference/               generated/docs/
#   examples/                examples/, less the command; output/ is what they print
#
# verbsx_source, verbsx_pages (where to put what is rewritten), verbsx_doc and verbsx_include (folders, below the prefix if relative)
# and verbsx_emu (whether emu.md is installed as well) are set by VerbsxInstall.cmake.

foreach(name IN ITEMS doc include)
  if(NOT IS_ABSOLUTE "${verbsx_${name}}")
    set(verbsx_${name} "${CMAKE_INSTALL_PREFIX}/${verbsx_${name}}")
  endif()
endforeach()
file(RELATIVE_PATH headers "${verbsx_doc}/reference" "${verbsx_include}")

# Links to headers, from reference/ and from the folders in it
set(reference_links
    "(../../docs/" "(../" "(../../runtime/include/" "(${headers}/" "(../include/" "(${headers}/"
    "(../../../runtime/include/" "(../${headers}/" "(../../include/" "(../${headers}/")
set(guide_links "(../generated/docs/" "(reference/" "(../examples/" "(examples/")
if(verbsx_emu)
  list(APPEND guide_links "(../tests/emu/README.md)" "(emu.md)")
else()
  list(APPEND guide_links "[tests/emu/README.md](../tests/emu/README.md)" "tests/emu/README.md of the sources")
endif()
set(example_links "(../tests/examples/golden)" "(output)" "(../docs/" "(../" "(../generated/docs/" "(../reference/")

# put(FOLDER FILES LINKS): install files below the folder of documentation, with each link of a list as the next of it has it.
function(put folder files links)
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" text)
    set(rest "${links}")
    while(rest)
      list(POP_FRONT rest from to)
      string(REPLACE "${from}" "${to}" text "${text}")
    endwhile()
    # Tests are of the sources alone: their path stays.
    string(REGEX REPLACE "\\[[^]]*\\]\\(\\.\\./(tests/[^)]*)\\)" "\\1" text "${text}")
    file(WRITE "${verbsx_pages}/${folder}/${name}" "${text}")
    file(INSTALL "${verbsx_pages}/${folder}/${name}" DESTINATION "${verbsx_doc}/${folder}"
         MESSAGE_LAZY)
  endforeach()
endfunction()

foreach(folder IN ITEMS . structs enums)
  file(GLOB pages "${verbsx_source}/generated/docs/${folder}/*.md")
  put(reference/${folder} "${pages}" "${reference_links}")
endforeach()
file(INSTALL "${verbsx_source}/generated/docs/print.schema.json"
     DESTINATION "${verbsx_doc}/reference" MESSAGE_LAZY)
set(pages guide mistakes python-rdma)
list(TRANSFORM pages REPLACE "(.+)" "${verbsx_source}/docs/\\1.md")
put(. "${pages}" "${guide_links}")
put(examples "${verbsx_source}/examples/README.md" "${example_links}")
file(GLOB programs "${verbsx_source}/examples/*.[ch]")
file(INSTALL ${programs} DESTINATION "${verbsx_doc}/examples" MESSAGE_LAZY)
file(GLOB programs "${verbsx_source}/examples/pingpong/*.[ch]")
file(INSTALL ${programs} DESTINATION "${verbsx_doc}/examples/pingpong" MESSAGE_LAZY)
file(GLOB outputs "${verbsx_source}/tests/examples/golden/*.txt")
file(INSTALL ${outputs} DESTINATION "${verbsx_doc}/examples/output" MESSAGE_LAZY)
