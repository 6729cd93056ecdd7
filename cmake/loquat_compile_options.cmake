# Compiler options of our own targets. Nothing here touches a consumer.

function(loquat_warnings target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 $<$<BOOL:${LOQUAT_WARNINGS_AS_ERRORS}>:/WX>)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
      $<$<BOOL:${LOQUAT_WARNINGS_AS_ERRORS}>:-Werror>)
  endif()
endfunction()

function(loquat_sanitize target)
  if(LOQUAT_SANITIZE)
    # No vptr check: it looks for RTTI, which the library is compiled without.
    target_compile_options(${target} PRIVATE -fsanitize=${LOQUAT_SANITIZE} -fno-sanitize=vptr
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${LOQUAT_SANITIZE})
  endif()
endfunction()

# Library sources: no exceptions, no RTTI, no contraction of a*b+c that the source does not ask for (promise D2).
function(loquat_library_options target)
  loquat_warnings(${target})
  loquat_sanitize(${target})
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${LOQUAT_DEBUG_CHECKS}>:LOQUAT_DEBUG_CHECKS>)
  if(MSVC)
    target_compile_options(${target} PRIVATE /EHs-c- /GR- /fp:precise)
    target_compile_definitions(${target} PRIVATE _HAS_EXCEPTIONS=0)
  else()
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -ffp-contract=off)
  endif()
endfunction()

# A shared library shows only names of its own namespace, also none of the standard library's templates (promise B3).
# On Windows, config.hpp turns the two definitions into dllexport and dllimport.
function(loquat_limit_exports target)
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL LOQUAT_BUILDING_SHARED)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    return()
  endif()
  target_compile_definitions(${target} INTERFACE LOQUAT_SHARED)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(map ${PROJECT_SOURCE_DIR}/cmake/loquat_exports.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()
