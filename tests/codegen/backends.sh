#!/bin/sh
# SPDX-License-Identifier: MIT
# Planned programs on the back ends posix and stub, by the plugin and by a
# graft: they build as codegen prints it, verify says equal, and names each way
# by which new threads miss the platform file.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
if [ -z "$B" ]; then
	skip "planned programs on other back ends" "needs two cores"
	finish
fi
cp "$progs"/stages.c* "$T"
cd "$T" || exit 1

planned_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=$1/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sha256sum <plan.yaml | cut -c1-64)"; }
# files DIR BACKEND [FLAGS-OF-PLATFORM]
files() {
	gcc -std=c11 -O2 -c -o "$1/perseus_triggers.o" "$1/perseus_triggers.c" &&
		gcc -std=c11 -O2 $3 -c -o "$1/perseus_platform_$2.o" "$1/perseus_platform_$2.c"
}
# ready SOURCE COMPILER FUNCTION: its plan, and the files of both back ends
ready() {
	it "$1: the measurement build" $2 -O2 -fplugin="$PLUGIN" -o measured "$1"
	stages_plan ./measured "$3" pthread_barrier_wait >plan.yaml
	for b in posix stub; do
		exits 0 "$1: codegen, $b" perseus codegen plan.yaml -o $b --backend=$b
		cp out $b.out
		it "$1: the files compile, $b" files $b $b
	done
}
# build COMPILER BACKEND OUTPUT LINK-FLAGS: the planned program of user.o
build() { $1 -O2 $4 -o "$3" user.o "$2/perseus_triggers.o" "$2/perseus_platform_$2.o"; }
equal() { # NAME PROGRAM BACKEND [OPTION...]
	what=$1 program=$2 folder=$3
	shift 3
	exits 0 "equal: $what" perseus verify plan.yaml "$program" --sources "$folder" "$@"
	says "^equal in threads, calls and code, as far as shown: 5 of 5 thread starts, 3 of 3 call triggers" "equal: $what, with all starts and triggers"
}
differs() { # NAME PROGRAM PATTERN [OPTION...]
	what=$1 program=$2 pattern=$3
	shift 3
	exits 1 "different: $what" perseus verify plan.yaml "$program" "$@"
	says "$pattern" "different: $what, is named"
}
unseen="not shown: that new threads come to the triggers: perseus_platform_stub.o"

# ---- C, by the plugin
ready stages.c gcc work
says "^ +-Wl,--wrap=pthread_create$" "codegen prints the option of the linker" posix.out
says "^ +-static-libstdc" "... and the way out for std::thread" posix.out
silent "thread_create=perseus|--wrap" "the twin: not for the stub" stub.out
it "C: by the plugin" gcc -O2 $(planned_flags posix) -c -o user.o stages.c
it "C: links as printed, posix" build gcc posix px -Wl,--wrap=pthread_create
exits 0 "C: runs, posix" ./px
says "^w3 $start_mask $start_mask" "C: nothing is set, posix"
equal "C, plugin, posix" px posix
silent "^not shown" "C: all of it is shown, posix"
it "C: links static, posix" build gcc posix px-static "-static -Wl,--wrap=pthread_create"
equal "C, plugin, posix, static" px-static posix
it "C: without the option it does not link" sh -c "! gcc -o none user.o posix/*.o 2>none.err"
says "__real_pthread_create" "... and the linker says what is missing" none.err
it "C: it links if somebody defines that" build gcc posix px-past -Wl,--defsym=__real_pthread_create=pthread_create
differs "creations go to the system, posix" px-past "nothing in the program calls __wrap_pthread_create of perseus_platform_posix.o"
silent "linux" "... and no other file"
it "C: by the plugin, stub" gcc -O2 $(planned_flags stub) -c -o user.o stages.c
it "C: links, stub" build gcc stub st
equal "C, plugin, stub" st stub
says "$unseen" "C: what the integrator owes is said"
cat >system.c <<-EOC
	#include "stub/perseus_platform.h"
	void system_create(void);
	void system_create(void) { (void)perseus_creation_take(); perseus_creation_undo(); perseus_thread_enter(1u); }
EOC
it "C: a system that does its duty" gcc -O2 -o st-done user.o system.c stub/perseus_triggers.o stub/perseus_platform_stub.o
equal "C, stub, with its system" st-done stub
says "not shown: that .system_create. calls perseus_creation_take where the stub asks" "... which is said"
it "C: the same system on posix" gcc -O2 -Wl,--wrap=pthread_create -o px-system user.o system.c posix/perseus_triggers.o posix/perseus_platform_posix.o
differs "a call of the generated code, posix" px-system "system_create. calls perseus_creation_take, which is for"
rename="objcopy --redefine-sym perseus_platform_start=other_start"
it "C: a platform of another name" sh -c "$rename stub/perseus_triggers.o t.o && $rename stub/perseus_platform_stub.o p.o && gcc -O2 -o none user.o t.o p.o"
differs "no platform file" none "no platform file is linked in .perseus_platform_linux.o or that of another"

# ---- C, by a graft
mkdir graft
cp stages.c graft
exits 0 "graft, posix" perseus codegen plan.yaml -o posix --backend=posix --graft=graft --program=measured
(cd graft && patch -sp1 <../posix/perseus_graft.patch)
it "graft: compiles" gcc -O2 -Iposix -c -o user.o graft/stages.c
it "graft: links, posix" build gcc posix gx -Wl,--wrap=pthread_create
equal "C, graft, posix" gx posix --grafted
it "graft: links, stub" build gcc stub gs
equal "C, graft, stub" gs stub --grafted
it "graft: the files for a linker without --wrap" files posix posix -DPERSEUS_DIRECT
it "graft: the program for it" gcc -O2 -Iposix -Dpthread_create=perseus_thread_create -c -o user.o graft/stages.c
it "graft: links without --wrap" build gcc posix gd
exits 0 "graft: runs without --wrap" ./gd
equal "C, graft, posix without --wrap" gd posix --grafted --cc "gcc -std=c11 -O2 -DPERSEUS_DIRECT"
silent "^not shown" "graft: all of it is shown"
it "graft: the program without the other name" gcc -O2 -Iposix -c -o user.o graft/stages.c
it "graft: links all the same" build gcc posix gd-past
differs "creations go to the system, graft" gd-past "main. creates threads past perseus_platform_posix.o" --grafted
says "nothing in the program calls perseus_thread_create of perseus_platform_posix.o" "... and the file is named"
it "the plugin and the other name" sh -c "! gcc -O2 $(planned_flags posix) -Dpthread_create=perseus_thread_create -c -o user.o stages.c 2>none.err"
says "no longer calls .pthread_create." "... do not go together, which the plugin says" none.err

# ---- C++
ready stages.cc g++ meet
it "C++: by the plugin" g++ -O2 $(planned_flags posix) -c -o user.o stages.cc
it "C++: links as printed, posix" build g++ posix cx "-Wl,--wrap=pthread_create -static-libstdc++"
exits 0 "C++: runs, posix" ./cx
equal "C++, plugin, posix" cx posix
it "C++: links with the shared library" build g++ posix cx-shared -Wl,--wrap=pthread_create
differs "std::thread of a shared library" cx-shared "threads that ._ZNSt6thread15_M_start_thread.* creates in a shared library do not come to perseus_platform_posix.o"
it "C++: links, stub" build g++ stub cs
equal "C++, plugin, stub" cs stub
says "$unseen" "C++: what the integrator owes is said"
finish
