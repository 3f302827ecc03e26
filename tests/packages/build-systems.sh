#!/bin/sh
# SPDX-License-Identifier: MIT
# From an installation that was moved after `make install', a CMake and a Meson project build a
# program with probes, and the recording finds its false sharing, and none in its twin.
. tests/lib.sh
top=$PWD
for tool in cmake meson ninja pkg-config; do
	command -v $tool >/dev/null || { skip "build systems" "$tool is not installed"; finish; }
done
# The prefix of the build tree: another one would link perseus.so anew, under the tests beside this one.
prefix=$(sed 's/.* //' "$O/obj/back-ends")
exits 0 "make install into a folder" make -s O="$O" install DESTDIR="$T/made" PREFIX="$prefix"
P=$T/moved/on
mkdir "$T/moved" && mv "$T/made$prefix" "$P"
rm -rf "$T/made"
PATH=$P/bin:$PATH
export PKG_CONFIG_PATH="$P/lib/pkgconfig"

mkdir "$T/src" "$T/src/triggers"
cp debian/tests/meet.c "$T/src/"
echo 'int plain(int (*f)(int)) { return f(1) + 1; }' >"$T/src/plain.c"
cd "$T/src" || exit 1

# finds NAME FOLDER: recorded, the program and its twin
finds() {
	exits 0 "$1: recorded" perseus record -q --purpose=sharing -o "$2/run" "$2/meet"
	exits 0 "$1: judged" perseus conflicts --all "$2/run"
	says 'false-sharing .*counts' "$1: its finding"
	exits 0 "$1: the twin is recorded" perseus record -q --purpose=sharing -o "$2/run-apart" "$2/apart"
	perseus conflicts --all "$2/run-apart" >"$T/out" 2>"$T/err"
	silent 'false-sharing .*counts' "$1: none in the twin"
	it "$1: what was not asked for has no probes" sh -c '! readelf -SW "$1/plain" | grep -q "\.perseus\.sites"' sh "$2"
}
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.18)
project(meet C)
find_package(Perseus 0.1 REQUIRED)
find_package(Threads REQUIRED)
foreach(name meet apart)
  add_executable(${name} meet.c)
  target_link_libraries(${name} PRIVATE Threads::Threads)
  perseus_instrument(${name} PROBE calls memory SELECT function:[bmo]*)
endforeach()
target_compile_definitions(meet PRIVATE APART=8)
target_compile_definitions(apart PRIVATE APART=256)
add_library(plain SHARED plain.c)
set_target_properties(plain PROPERTIES PREFIX "" SUFFIX "")
add_executable(still meet.c)
target_compile_definitions(still PRIVATE APART=8)
target_link_libraries(still PRIVATE -static Perseus::static Perseus::headers)
perseus_instrument(still)
if(PLAN)
  add_executable(planned meet.c)
  target_compile_definitions(planned PRIVATE APART=8)
  target_link_libraries(planned PRIVATE Threads::Threads)
  perseus_instrument(planned PLAN triggers/perseus_triggers.plan)
endif()
cmake_language(EVAL CODE "${LAST}")
C
prepare() { cmake -G Ninja -S . -B "$T/cmake" -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@"; }
exits 0 "CMake finds the package" prepare -DCMAKE_PREFIX_PATH="$P"
exits 0 "CMake builds" cmake --build "$T/cmake"
finds CMake "$T/cmake"
exits 0 "CMake: a static program is recorded" perseus record -q -o "$T/cmake/run-still" "$T/cmake/still"
says 'threads?: *2|2 threads' "... with both threads" "$(perseus report "$T/cmake/run-still" >"$T/still" 2>&1; echo "$T/still")"

# A plan's triggers, too; the two threads on the first two cores that we may use.
cd "$top" && . tests/codegen/plan.inc && cd "$T/src" || exit 1
if [ -n "$B" ]; then
	set -- $(site_line "$T/cmake/meet" main create)
	{
		plan_head
		echo threads:
		plan_thread 0 main - - 0 "$A"
		plan_thread 1 other 0 0 0 "$B"
		echo sites:
		plan_site 0 $1 $3 $4 $5 $6
	} >plan.yaml
	exits 0 "code of a plan" perseus codegen plan.yaml -o triggers
	exits 0 "CMake takes the plan" prepare -DPLAN=ON
	exits 0 "CMake builds it" cmake --build "$T/cmake" --target planned
	exits 0 "... and the program is the planned one" perseus verify plan.yaml "$T/cmake/planned" --sources triggers
	exits 1 "... which the measured one is not" perseus verify plan.yaml "$T/cmake/meet" --sources triggers
	it "a plan that changes is read again" sh -c 'touch triggers/perseus_triggers.plan && cmake --build "$1" --target planned | grep -i "re-running\|configuring"' sh "$T/cmake"
else skip "CMake: a plan" "one core only"; fi

# A plan that calls nothing is the compiler's own: no code of its own stands beside it.
mkdir alone
{ echo perseus-triggers 2; echo "plan $(echo none | sha256sum | cut -c 1-64)"; } >alone/perseus_triggers.plan
exits 0 "CMake takes a plan without code" prepare -DLAST="add_executable(alone meet.c)
perseus_instrument(alone PLAN alone/perseus_triggers.plan)"

# refused WHAT PATTERN LINE
refused() {
	exits 1 "CMake: $1 is refused" prepare -DLAST="$3"
	says "$2" "... and why"
}
refused "an unknown word" "not PROBES" "perseus_instrument(meet PROBES calls)"
refused "a target that is not there" "no target b" "perseus_instrument(b)"
refused "rules that are not there" "cannot open" "perseus_instrument(plain RULES none)"
refused "a second call" "meet is instrumented already" "perseus_instrument(meet PROBE calls)"
refused "a target of headers alone" "compiles nothing" "add_library(head INTERFACE)
perseus_instrument(head)"
refused "a kind of probe that is none" "probe=nonsense: expected calls" "add_executable(new meet.c)
perseus_instrument(new PROBE nonsense)"
refused "a newer version than is here" 'version "?99' "find_package(Perseus 99 REQUIRED)"

cat >meson.build <<'M'
project('meet', 'c', default_options: 'buildtype=debugoptimized')
perseus = dependency('perseus', version: '>= 0.1')
plugin = '-fplugin=' + perseus.get_variable('plugin')
executable('meet', 'meet.c', c_args: [plugin, '-DAPART=8'], link_args: plugin, dependencies: dependency('threads'))
executable('apart', 'meet.c', c_args: [plugin, '-DAPART=256'], dependencies: dependency('threads'))
shared_library('plain', 'plain.c', name_prefix: '', name_suffix: 'so')
static_perseus = dependency('perseus', static: true)
M
exits 0 "Meson finds the package" meson setup "$T/meson"
exits 0 "Meson builds" ninja -C "$T/meson"
mv "$T/meson/plain.so" "$T/meson/plain" 2>/dev/null
finds Meson "$T/meson"
finish
