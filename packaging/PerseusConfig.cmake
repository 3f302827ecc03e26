# SPDX-License-Identifier: MIT
#
# find_package(Perseus) sets Perseus_EXECUTABLE and defines
#
#   Perseus::headers   include/perseus, for programs that use it
#   Perseus::static    the runtime, for static programs
#   perseus_instrument(TARGET [PROBE KIND...] [SELECT GLOB...] [SKIP GLOB...]
#                      [RULES FILE] [PLAN FILE])
#
# See perseus-flags(1).  All paths hang on where this file lies, so an installation
# can be moved.
if(CMAKE_VERSION VERSION_LESS 3.18)
  set(Perseus_FOUND FALSE)
  set(Perseus_NOT_FOUND_MESSAGE "Perseus needs CMake 3.18")
  return()
endif()
get_filename_component(_perseus_here "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_perseus_prefix "${_perseus_here}/../../../.." ABSOLUTE)
set(Perseus_EXECUTABLE "${_perseus_prefix}/bin/perseus")
set(Perseus_PLUGIN "${_perseus_prefix}/lib/perseus/perseus.so")
foreach(_perseus_file IN ITEMS "${Perseus_EXECUTABLE}" "${Perseus_PLUGIN}")
  if(NOT EXISTS "${_perseus_file}")
    set(Perseus_FOUND FALSE)
    set(Perseus_NOT_FOUND_MESSAGE "${_perseus_file} is missing: this installation is not whole")
    return()
  endif()
endforeach()

if(NOT TARGET Perseus::headers)
  add_library(Perseus::headers INTERFACE IMPORTED)
  set_target_properties(Perseus::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_perseus_prefix}/include")
  add_library(Perseus::static INTERFACE IMPORTED)
  set_target_properties(Perseus::static PROPERTIES
    INTERFACE_LINK_OPTIONS "LINKER:-u,__prs_attach,-u,__prs_detach;LINKER:@${_perseus_prefix}/lib/perseus/libperseus-rt.wrap"
    INTERFACE_LINK_LIBRARIES "${_perseus_prefix}/lib/perseus/libperseus-rt.a;pthread")
endif()
unset(_perseus_here)
unset(_perseus_file)
unset(_perseus_prefix)

# The flags of @compiler, as a list in @out.  perseus itself says what is wrong.
function(_perseus_flags out compiler)
  execute_process(COMMAND "${Perseus_EXECUTABLE}" flags --cc "${compiler}" ${ARGN}
    OUTPUT_VARIABLE words ERROR_VARIABLE why RESULT_VARIABLE status
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "perseus_instrument: ${why}")
  endif()
  string(STRIP "${words}" words)
  separate_arguments(words UNIX_COMMAND "${words}")
  string(REPLACE ">" "$<ANGLE-R>" words "${words}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

# What `perseus codegen' wrote beside @plan, compiled without the plugin into @target.  A plan of layouts alone, which
# starts nothing, is the compiler's own.
function(_perseus_triggers target plan)
  file(STRINGS "${plan}" calls REGEX "^start$" LIMIT_COUNT 1)
  if(NOT calls)
    return()
  endif()
  get_filename_component(folder "${plan}" DIRECTORY)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/perseus_triggers.c" "${folder}/perseus_platform_*.c")
  if(NOT sources)
    message(FATAL_ERROR "perseus_instrument: no perseus_triggers.c beside ${plan}: run perseus codegen")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT C IN_LIST languages)
    message(FATAL_ERROR "perseus_instrument: PLAN needs the language C in project()")
  endif()
  # Whatever the build type: it is what the flags of `perseus codegen' make that was reviewed.
  add_library(${target}_perseus_triggers OBJECT ${sources})
  target_compile_options(${target}_perseus_triggers PRIVATE -std=c11 -O2)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" OR type STREQUAL "MODULE_LIBRARY")
    set_property(TARGET ${target}_perseus_triggers PROPERTY POSITION_INDEPENDENT_CODE ON)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_perseus_triggers>)
endfunction()

function(perseus_instrument target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RULES;PLAN" "PROBE;SELECT;SKIP")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "perseus_instrument: there is no target ${target}")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "perseus_instrument: expected [PROBE KIND...] [SELECT GLOB...] [SKIP GLOB...] "
      "[RULES FILE] [PLAN FILE], not ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY" OR type STREQUAL "UTILITY")
    message(FATAL_ERROR "perseus_instrument: ${target} compiles nothing (${type}): instrument what uses it")
  endif()
  get_target_property(instrumented ${target} PERSEUS_INSTRUMENTED)
  if(instrumented)
    message(FATAL_ERROR "perseus_instrument: ${target} is instrumented already: say all in one call")
  endif()
  set_target_properties(${target} PROPERTIES PERSEUS_INSTRUMENTED ON)
  set(words "")
  foreach(key IN ITEMS PROBE SELECT SKIP)
    if(arg_${key})
      string(TOLOWER ${key} option)
      string(REPLACE ";" "," value "${arg_${key}}")
      list(APPEND words "--${option}=${value}")
    endif()
  endforeach()
  set(files "${Perseus_PLUGIN}")
  foreach(key IN ITEMS RULES PLAN)
    if(arg_${key})
      string(TOLOWER ${key} option)
      get_filename_component(path "${arg_${key}}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      list(APPEND words "--${option}=${path}")
      list(APPEND files "${path}")
    endif()
  endforeach()
  # The flags name these by their bytes: when one changes they are asked for again.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN ITEMS C CXX Fortran)
    if(language IN_LIST languages)
      _perseus_flags(flags "${CMAKE_${language}_COMPILER}" ${words})
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:${flags}>")
      # With -flto it is there that code is made; without, GCC leaves them alone.
      if(NOT type STREQUAL "OBJECT_LIBRARY" AND NOT type STREQUAL "STATIC_LIBRARY")
        target_link_options(${target} PRIVATE "$<$<LINK_LANGUAGE:${language}>:${flags}>")
      endif()
    endif()
  endforeach()
  if(arg_PLAN)
    _perseus_triggers(${target} "${path}")
  endif()
endfunction()
