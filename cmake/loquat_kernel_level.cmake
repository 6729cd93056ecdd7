# loquat_kernel_level(NAME [FLAGS flag...] SOURCES file...)
#
# One object library a kernel level, compiled with the level's own flags and never below -O2: an unoptimised object
# would plant out-of-line copies of inline functions, compiled for a higher instruction set, in the program
# (docs/kernels.md). The symbol test lists what each object exports.
function(loquat_kernel_level name)
  cmake_parse_arguments(PARSE_ARGV 1 level "" "" "FLAGS;SOURCES")
  set(target loquat_kernels_${name})
  add_library(${target} OBJECT ${level_SOURCES})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PRIVATE ${LOQUAT_XSIMD_INCLUDE_DIR})
  loquat_library_options(${target})
  target_compile_options(${target} PRIVATE ${level_FLAGS} $<$<NOT:$<CXX_COMPILER_ID:MSVC>>:-O3>)
  target_sources(loquat PRIVATE $<TARGET_OBJECTS:${target}>)
  set_property(GLOBAL APPEND PROPERTY loquat_kernel_levels ${name})
endfunction()
