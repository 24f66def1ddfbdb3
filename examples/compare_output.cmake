# Runs PROGRAM and compares what it prints with the file EXPECTED, byte for byte.
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${PROGRAM}.out RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} exited with ${code}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PROGRAM}.out ${EXPECTED}
                RESULT_VARIABLE differs)
if(differs)
  file(READ ${PROGRAM}.out printed)
  message(FATAL_ERROR "${PROGRAM} printed, instead of ${EXPECTED}:\n${printed}")
endif()
