#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on planned programs: where calls stand, whose code it is, what
# the reviewed source does, manifests, reports.  Each fault has a twin without
# it.  The names of these tests are cases of docs/verify/cases.md.
. tests/lib.sh
. tests/codegen/plan.inc
here=$(pwd)
if [ -z "$B" ]; then
	skip "verify" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c tests/verify/programs/graft.c "$T"
cd "$T" || exit 1
plugin_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"; }
CC1="gcc -std=c11 -O2"

it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured stages.c
stages_plan ./measured work pthread_barrier_wait >plan.yaml
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
platform=gen/perseus_platform_linux
it "compiles" sh -c "$CC1 -c -o t.o gen/perseus_triggers.c && $CC1 -c -o p.o $platform.c"

# ---- equal, whatever the build
# built NAME COMPILER FLAGS LINK-FLAGS [PLATFORM-FLAGS]: a planned build is equal, with its objects
built() {
	gcc $3 $5 -std=gnu11 -c -o bp.o $platform.c && gcc $3 -std=gnu11 -c -o bt.o gen/perseus_triggers.c &&
		$2 $3 $(plugin_flags) -c -o bu.o stages.c && $2 $3 $4 -o built bu.o bt.o bp.o
	exits 0 "equal: $1" perseus-verify plan.yaml built --objects bu.o bt.o bp.o
	says "functions and [0-9]+ variables are those of the objects" "equal: $1, with the code of its objects"
	silent "not shown: that perseus_.* (stands|is the first)" "equal: $1, the order of all calls is shown"
}
built "gcc -O0" gcc -O0
built "gcc -O3, fixed address" gcc "-O3 -fno-pie" -no-pie
built "gcc -O2 -fPIC -fno-plt" gcc "-O2 -fPIC -fno-plt"
built "gcc -O2, static" gcc -O2 "-static -Wl,--wrap=pthread_create" -DPERSEUS_STATIC
built "gcc -Os, sections dropped" gcc "-Os -ffunction-sections -fdata-sections" -Wl,--gc-sections
if command -v gcc-11 >/dev/null && [ -e "$O/lib/perseus-gcc11.so" ]; then built "gcc-11 -O2" gcc-11 -O2
else skip "equal: gcc-11 -O2" "no gcc-11 with a back end"; fi
it "an -flto build" sh -c "gcc -O2 -flto $(plugin_flags) -o lto stages.c t.o p.o"
exits 0 "equal: -flto" perseus-verify plan.yaml lto
built "gcc -O2" gcc -O2
cp built planned
cp bu.o user.o
cp bt.o t2.o

# ---- where calls stand
# fault NAME COMPILER WHAT PATTERN
fault() {
	$2 -DFAULT_$3 -o graft graft.c t.o p.o
	exits 1 "order: $1, $2" perseus-verify plan.yaml graft
	says "$4" "order: $1, $2, is named"
}
for cc in "gcc -O2" "clang -O1"; do
	command -v ${cc%% *} >/dev/null || { skip "order: $cc" "not installed"; continue; }
	it "a build with the calls put in by hand, $cc" $cc -o graft graft.c t.o p.o
	exits 0 "equal: put in by hand, $cc" perseus-verify plan.yaml graft --grafted
	silent "not shown" "equal: put in by hand, $cc, the order is shown"
	fault "before instead of after" "$cc" SIDE "not after a call of .pthread_barrier_wait.: look is before it"
	fault "after another call" "$cc" CALLEE "not after a call of .pthread_barrier_wait.: look is before it"
	fault "on one of two ways only" "$cc" BRANCH "is left out on a way from .pthread_barrier_wait. to look"
	fault "twice" "$cc" TWICE "perseus_trigger_0007 is before it"
	fault "once more before the end" "$cc" MORE "perseus_trigger_0007 is called in .work.*has [0-9] calls of it and its like, and [0-9] of .pthread_barrier_wait.: one belongs to none"
	fault "in another function" "$cc" ELSEWHERE "is called in .(other|work). at .*look is before it"
	fault "program start behind another call" "$cc" START "not the first call of .main.: look"
	fault "program start twice" "$cc" AGAIN "perseus_program_start is called 2 times"
	fault "a creation marked too late" "$cc" MARK "perseus_create_1_begin is called in .main. .*not before"
	fault "a mark left open on one way" "$cc" PAST "perseus_create_end in .main. .*is left out on a way"
	fault "one of two marks never closed" "$cc" OPEN "perseus_create_1_begin in .main. .*is not closed by perseus_create_end"
	fault "an end without creation" "$cc" END "perseus_create_end is called in .main. .*not after"
done
# A static program calls __wrap_pthread_create, whose name looks like the compiler's own.
way="not shown: that perseus_create_1_begin in .main. stands before its call of .pthread_create.: another way"
for link in "" "-static -Wl,--wrap=pthread_create"; do
	static=${link:+, static}
	gcc -O2 ${link:+-DPERSEUS_STATIC} -c -o pw.o $platform.c
	it "order: a mark in a loop of creations$static, links" gcc -O2 $link -o graft graft.c t.o pw.o
	exits 0 "order: a mark in a loop of creations$static" perseus-verify plan.yaml graft --grafted
	silent "$way" "order: a mark in a loop of creations$static, has no other way"
	it "order: a mark once before a loop of creations$static, links" gcc -O2 -DFAULT_ONCE $link -o graft graft.c t.o pw.o
	exits 0 "order: a mark once before a loop of creations$static" perseus-verify plan.yaml graft --grafted
	says "$way" "order: a mark once before a loop of creations$static, is named"
done
printf 'void perseus_trigger_0007(void);\nvoid elsewhere(void);\nvoid elsewhere(void) { perseus_trigger_0007(); }\n' >elsewhere.c
it "a call in a function of its own" gcc -O2 -o more user.o elsewhere.c t.o p.o
exits 1 "order: no call beside it" perseus-verify plan.yaml more
says "perseus_trigger_0007 is called in .elsewhere." "order: no call beside it, is named"
exits 1 "objects: a call that none of them has" perseus-verify plan.yaml more --objects user.o t2.o bp.o
says "0 times in that of the objects" "objects: a call that none of them has, is named"

# ---- what the rest of the program does to the generated code
# outside NAME STATEMENT PATTERN
outside() {
	{ printf '#include <stdio.h>\n#include "gen/perseus_triggers.h"\nuint32_t perseus_platform_in_main(void);\n'
	  printf 'void elsewhere(void);\nvoid elsewhere(void) { %s }\n' "$2"; } >outside.c
	it "outside: $1, builds" gcc -O2 -I. -o outside user.o outside.c t.o p.o
}
outside "a counter is read" 'printf("%u\n", perseus_status.pins[0]);'
exits 0 "outside: a counter is read, is fine" perseus-verify plan.yaml outside
outside "a store into the status" 'perseus_status.machine = 1u;'
exits 1 "outside: a store into the status" perseus-verify plan.yaml outside
says ".elsewhere. writes into perseus_status" "outside: a store into the status, is named"
outside "a call of the platform" '(void)perseus_platform_in_main();'
exits 1 "outside: a call of the platform" perseus-verify plan.yaml outside
says ".elsewhere. calls perseus_platform_in_main" "outside: a call of the platform, is named"
outside "an address of the status" 'extern void *volatile where; where = (void *)&perseus_status; } void *volatile where; void more(void); void more(void) {'
exits 0 "outside: an address of the status" perseus-verify plan.yaml outside
says "^not shown: that .elsewhere. only reads perseus_status" "outside: an address of the status, is noted"
outside "a store by an address" 'struct perseus_status *p = &perseus_status; __asm__("" : "+r"(p)); p->machine = 1u;'
exits 1 "outside: a store by an address" perseus-verify plan.yaml outside
says ".elsewhere. writes into perseus_status" "outside: a store by an address, is named"
outside "a pointer to the status" '} uint32_t *volatile stray = &perseus_status.machine; void more(void); void more(void) {'
exits 0 "outside: a pointer to the status" perseus-verify plan.yaml outside
says "^not shown: that nobody writes into perseus_status" "outside: a pointer to the status, is noted"
it "a program that begins elsewhere" gcc -O2 -Wl,-e,main -o outside user.o t.o p.o
exits 1 "outside: begins elsewhere" perseus-verify plan.yaml outside
says "does not begin at _start" "outside: begins elsewhere, is said"

# ---- GIMPLE
compare="$here/verify/gimple-compare"
exits 0 "gimple-compare: equal but for the calls of the plan" "$compare" gcc -O2 -c stages.c -- $(plugin_flags)
says "^equal: [0-9]+ lines of GIMPLE, and 5 calls" "gimple-compare: counts them"
exits 1 "gimple-compare: another optimization" "$compare" gcc -O2 -c stages.c -- -O1 $(plugin_flags)
exits 2 "gimple-compare: usage" "$compare" gcc

# ---- whose code it is
exits 0 "rebuilt: the same code" perseus verify plan.yaml planned --sources gen
says "compiled form of the reviewed sources" "rebuilt: the same code, is said"
exits 1 "rebuilt: other flags" perseus verify plan.yaml planned --sources gen --cc "gcc -std=c11 -O3"
says "is not the code of perseus_triggers.o" "rebuilt: other flags, functions are named"
says "^hint: --cc must be that of the build.*gcc -std=c11 -O3.*made by: .*GCC" "rebuilt: other flags, a hint"
exits 0 "judged: neither source nor objects" perseus verify plan.yaml planned
says "^equal in threads and calls: " "judged: neither source nor objects, the verdict says what is equal"
says "^not judged: what the trigger functions do .*--sources DIR" "judged: no source, is said"
says "^not judged: .*object files .no --objects" "judged: no objects, is said"
exits 0 "judged: a source alone" perseus verify plan.yaml planned --source gen/perseus_triggers.c
says "^equal: the reviewed source does" "judged: a source alone, it is as planned"
says "^not judged: what the trigger functions do" "judged: a source alone, is not taken for the binary's code"
exits 2 "judged: a source, not by perseus-verify" perseus-verify plan.yaml planned --source gen/perseus_triggers.c
says "perseus-source-check PLAN FILE runs the reviewed source" "judged: a source, not by perseus-verify, is said" err
exits 2 "judged: a source twice" perseus verify plan.yaml planned --source gen/perseus_triggers.c --sources gen
exits 0 "judged: all" perseus verify plan.yaml planned --sources gen --objects user.o t2.o bp.o
says "^equal: the reviewed source does" "judged: all, the source is as planned"
says "^equal in threads, calls and code: " "judged: all, the verdict has no limit"
silent "not judged|^hint" "judged: all, nothing is left"
rm -rf moved && cp -r gen moved
sed -E "/^void perseus_trigger_0007/,\$ s/CORE_$B\)/CORE_$A)/" gen/perseus_triggers.c >moved/perseus_triggers.c
$CC1 -c -o moved.o moved/perseus_triggers.c
it "judged: a program with a changed core" gcc -O2 -o moved.x user.o moved.o p.o
exits 0 "judged: a changed core without the source" perseus verify plan.yaml moved.x
says "^not judged: what the trigger functions do" "judged: a changed core without the source, is not taken for judged"
exits 1 "judged: a changed core, with its source" perseus verify plan.yaml moved.x --sources moved
exits 1 "judged: a changed core, with the reviewed source" perseus verify plan.yaml moved.x --sources gen
if command -v clang >/dev/null; then
	it "rebuilt: clang, builds" clang -O2 -o cl graft.c gen/perseus_triggers.c $platform.c
	exits 1 "rebuilt: another compiler" perseus verify plan.yaml cl --sources gen --grafted
	says "^hint: .*made by: .*clang" "rebuilt: another compiler, is named"
	exits 0 "rebuilt: its own" perseus verify plan.yaml cl --sources gen --grafted --cc "clang -O2"
else skip "rebuilt: another compiler" "no clang"; fi
exits 4 "rebuilt: a source that does not compile" perseus verify plan.yaml planned --sources gen --cc "gcc -Dvoid=int"
exits 4 "rebuilt: no platform file" perseus verify plan.yaml planned --sources .
exits 2 "rebuilt: --cc without --sources" perseus verify plan.yaml planned --cc gcc
gcc -O2 -flto -c -o tl.o gen/perseus_triggers.c
exits 4 "rebuilt: an object without machine code" perseus-verify plan.yaml planned --rebuilt tl.o
exits 1 "rebuilt: one object of two" perseus-verify plan.yaml planned --rebuilt t.o
says "perseus_platform_[a-z]+ of the binary is in none of the rebuilt" "rebuilt: one object of two, is named"
# An attacker who redirects one call of the finished program: perseus_pin's platform call goes elsewhere.
cat >patch.c <<-EOC
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	/* patch FILE OFFSET BYTES...: add each of BYTES to what is there */
	int main(int argc, char **argv) {
		FILE *f = fopen(argv[1], "r+b");
		long at = strtol(argv[2], 0, 0);
		for (int i = 3; i < argc; i++, at++) {
			fseek(f, at, SEEK_SET);
			int c = fgetc(f);
			fseek(f, at, SEEK_SET);
			fputc(c + atoi(argv[i]), f);
		}
		return fclose(f);
	}
EOC
gcc -o patch patch.c
# PIE text is loaded where it lies in the file
call=$(objdump -d planned --disassemble=perseus_thread_enter | awk '/call/ { sub(":", "", $1); print "0x" $1; exit }')
cp planned patched
./patch patched $((call + 1)) 16
exits 1 "rebuilt: a call led elsewhere in the binary" perseus verify plan.yaml patched --sources gen
says "perseus_[a-z_]+ in the binary is not the code of perseus_triggers.o" "rebuilt: a call led elsewhere, is named"
barrier=$(objdump -d planned --disassemble=work | awk '/call.*pthread_barrier_wait/ { sub(":", "", $1); print "0x" $1; exit }')
cp planned patched
./patch patched $((barrier + 1)) 16
exits 1 "objects: a call of the program led elsewhere" perseus-verify plan.yaml patched --objects user.o t2.o bp.o
says "work in the binary is not the code of user.o" "objects: a call of the program led elsewhere, is named"
# (the processor's name may be compared by immediate values; then its text is referred to by nobody)
text=$(grep -abo /proc/cpuinfo planned | head -1 | cut -d: -f1)
cp planned patched
./patch patched $text 1
exits 1 "rebuilt: a changed text" perseus verify plan.yaml patched --sources gen

# ---- what the reviewed source does
exits 0 "source: as planned" perseus-source-check plan.yaml gen/perseus_triggers.c
says "does what the plan says \([1-9][0-9]* settings" "source: as planned, is said"
# source NAME FILE EXPRESSION PATTERN
source_fault() {
	rm -rf bad && cp -r gen bad
	sed -E "$3" gen/$2 >bad/$2
	if cmp -s bad/$2 gen/$2; then not_ok "source: $1" "the fault changed nothing"; return; fi
	exits 1 "source: $1" perseus-source-check plan.yaml bad/perseus_triggers.c
	says "reviewed source.*$4" "source: $1, is named"
}
point="/^void perseus_trigger_0007/,\$"
source_fault "a wrong core" perseus_triggers.c "$point s/CORE_$B\)/CORE_$A)/" "perseus_trigger_0007 as thread 1, visit 1: sets"
source_fault "a changed constant" perseus_triggers.h "s/(define CORE_$B) .*/\1 (${B}1u)/" "core ${B}1, planned $B"
source_fault "another visit" perseus_triggers.c "$point s/== 1u/== 4u/" "visit 1: sets nothing, planned core"
source_fault "every visit instead of one" perseus_triggers.c "$point s/== 1u/>= 1u/" "visit [0-9]+: sets"
source_fault "swapped threads" perseus_triggers.c "$point s/THREAD_WORKER_0/THREAD_X/g; $point s/THREAD_WORKER_1/THREAD_WORKER_0/g; $point s/THREAD_X/THREAD_WORKER_1/g" "as thread 1, visit"
source_fault "a dropped case" perseus_triggers.c "$point { /case THREAD_WORKER_1:/,/break;/d; }" "as thread 2, visit"
source_fault "an extra setting" perseus_triggers.c "$point s/(default:)/case THREAD_WORKER_3: perseus_pin(THREAD_WORKER_3, CORE_$A); break; \1/" "as thread 4, visit 1: sets core $A, planned nothing"
source_fault "a visit that is not counted" perseus_triggers.c "$point s/visits_0007\+\+/visits_0007 += 0u/" "visit"
source_fault "a wrong row of the table" perseus_triggers.c "s/(\[THREAD_WORKER_1\] = .THREAD_MAIN, CREATE_1, )1u/\12u/" "thread 2 .worker.: ordinal 2, planned 1"
source_fault "another plan's hash" perseus_triggers.h "/define PERSEUS_PLAN /,/\"/ s/\"[0-9a-f]{4}/\"0000/" "made from another plan"
source_fault "children taken in another order" perseus_support.h "s/perseus_created\[first\]\+\+/perseus_created[first] += 2u/" "creation 2 by thread 0"
source_fault "a loop that does not end" perseus_support.h "s/row--/row += 0u/" "does not come to an end"
source_fault "an index outside its array" perseus_support.h "s/(perseus_thread_table\[row)( - 1u)?\]\.ordinal/\1 + 9u].ordinal/" "outside its array"
source_fault "action on a foreign machine" perseus_support.h "s/= PERSEUS_MACHINE_FOREIGN/= PERSEUS_MACHINE_PLANNED/" "on another machine: sets"
source_fault "a trigger beyond the plan" perseus_triggers.c "\$ a void perseus_trigger_0042(void) { }" "perseus_trigger_0042 is not in the plan"
source_fault "a function that nothing runs" perseus_triggers.c "\$ a void perseus_hidden(void) { perseus_creation_undo(); }" "nothing of the plan runs perseus_hidden"
rm -rf bad && cp -r gen bad
sed 's,^/\*,/* Reviewed. */\n/*,; s/^\t/        /; s/case THREAD_MAIN:/case (THREAD_MAIN):/' gen/perseus_triggers.c >bad/perseus_triggers.c
exits 0 "source: other comments and blanks are fine" perseus-source-check plan.yaml bad/perseus_triggers.c
echo 'int f(void) { goto out; out: return 1; }' >bad/perseus_triggers.c
exits 1 "source: not the functions of a plan" perseus-source-check plan.yaml bad/perseus_triggers.c
echo 'float f;' >bad/perseus_triggers.c
exits 4 "source: C that codegen does not write" perseus-source-check plan.yaml bad/perseus_triggers.c
says "bad/perseus_triggers.c line 1: a type" "source: C that codegen does not write, its line is named"

# ---- manifests
mkdir -p pack
sha256sum plan.yaml planned gen/perseus_triggers.c >list
exits 0 "manifest: all as listed" perseus-verify plan.yaml planned --manifest list
says "3 of 3 files are as the manifest lists them" "manifest: all as listed, is counted"
cp list pack/manifest.sha256
exits 0 "manifest: elsewhere, with a root" perseus-verify plan.yaml planned --manifest pack/manifest.sha256 --root .
exits 1 "manifest: a file that is not there" perseus-verify plan.yaml planned --manifest pack/manifest.sha256
says "'planned' is listed, but is not there" "manifest: a file that is not there, is named"
sort -r list | sed 's/  / */' >other
exits 0 "manifest: another order, binary marks" perseus-verify plan.yaml planned --manifest other
sed '/gen/s/^..../0000/' list >other
exits 1 "manifest: a stale hash" perseus-verify plan.yaml planned --manifest other
says "'gen/perseus_triggers.c' has sha256" "manifest: a stale hash, is named"
grep -v planned list >other
exits 1 "manifest: without the binary" perseus-verify plan.yaml planned --manifest other
says "does not hold the binary" "manifest: without the binary, is said"
grep -v plan.yaml list >other
exits 1 "manifest: without the plan" perseus-verify plan.yaml planned --manifest other
grep -v gen/ list >other
exits 1 "manifest: without the reviewed source" perseus-source-check plan.yaml gen/perseus_triggers.c --manifest other
cat list list >other
exits 1 "manifest: a file twice" perseus-verify plan.yaml planned --manifest other
cp planned 'a
b'
sha256sum plan.yaml planned 'a
b' >other
exits 0 "manifest: a name with a line's end" perseus-verify plan.yaml planned --manifest other
for bad in 'xyz  plan.yaml' "$(head -c 64 list) plan.yaml" "$(head -c 64 list)  " ''; do
	echo "$bad" >other
	exits 4 "manifest: refuses '$bad'" perseus-verify plan.yaml planned --manifest other
done
printf '%s' "$(cat list)" >other
exits 4 "manifest: refuses a cut line" perseus-verify plan.yaml planned --manifest other
exits 2 "manifest: --root alone" perseus-verify plan.yaml planned --root .

mkdir whole && cp plan.yaml planned whole && (cd whole && sha256sum plan.yaml planned >manifest.sha256)
exits 0 "manifest: complete" perseus-verify plan.yaml planned --manifest whole/manifest.sha256 --complete
mkdir whole/sub && echo more >whole/sub/note
exits 1 "manifest: a file beside it" perseus-verify plan.yaml planned --manifest whole/manifest.sha256 --complete
says "'sub/note' is not in the manifest" "manifest: a file beside it, is named"

# ---- reports
sha256sum plan.yaml planned gen/perseus_*.[ch] >full
for n in 1 2; do perseus verify plan.yaml planned --objects user.o t2.o bp.o --sources gen --manifest full --report report$n.md >/dev/null; done
it "report: the same bytes every time" cmp report1.md report2.md
cp planned planned.copy
exits 4 "report: not in the place of the binary" perseus verify plan.yaml planned --report planned
says "would replace .planned., which is judged" "report: ... says so" err
exits 4 "report: nor of the plan" perseus verify plan.yaml planned --report ./plan.yaml
it "report: both are as they were" cmp planned planned.copy
mkfifo pipe
cat pipe >piped &
exits 0 "report: into a pipe" perseus verify plan.yaml planned --report pipe
wait $!
it "report: the pipe is one still" test -p pipe
says "^Verdict: EQUAL" "report: ... and got it" piped
exits 0 "report: to a device" perseus verify plan.yaml planned --report /dev/null
it "report: it is one still" test -c /dev/null
says "^Verdict: EQUAL" "report: the verdict" report1.md
says "\| plan \| plan.yaml \| [0-9]+ \| $(sha256sum <plan.yaml | cut -c1-64) \|" "report: hashes of the inputs" report1.md
says "perseus..trigger..0007 \| work \| the planned function \| [12] \| [12] \|" "report: every call, and where it stands" report1.md
says "rebuilt with \| gcc -std=c11 -O2" "report: how it was rebuilt" report1.md
says "^\| verified by \|" "report: lines to sign" report1.md
silent "no --" "report: nothing is missing when all was asked for" report1.md
perseus-verify plan.yaml more --report report.md >/dev/null
says "^Verdict: DIFFERENT, [1-9]" "report: differences" report.md
says "no --manifest" "report: what was not looked at" report.md
says "what the program itself sets" "report: what no run looks at" report.md
it "usage: every option" sh -c "perseus-verify --help | grep -q -e '--complete'"
exits 4 "report: a folder that is not there" perseus-verify plan.yaml planned --report none/report.md
exits 2 "report: without a name" perseus-verify plan.yaml planned --report
exits 2 "an option twice" perseus-verify plan.yaml planned --report a --report b

# ---- what the verifiers are made of
for tool in perseus-verify perseus-plan-check perseus-source-check; do
	ldd "$O/bin/$tool" | grep -v -e linux-vdso -e ld-linux -e 'libc\.so' >libs
	if [ -s libs ] && ! grep -q 'asan\|ubsan\|tsan' libs; then not_ok "$tool is linked with the C library only" "$(cat libs)"; else ok "$tool is linked with the C library only"; fi
	nm "$O/bin/$tool" | grep -E ' [TtDdBb] (err_set|strbuf_|json_|plan_read|emit_|prs_)' >shared
	if [ -s shared ]; then not_ok "$tool shares no code with the rest" "$(cat shared)"; else ok "$tool shares no code with the rest"; fi
done
grep -h '^#include "' "$here"/verify/*.[ch] "$here"/verify/*/*.[ch] "$here"/verify/arch/*/*.[ch] "$here"/verify/*/arch/*/*.[ch] | grep -v -e '"verify/' -e '"perseus/sites.h"' -e '"perseus/triggers.h"' >includes
if [ -s includes ]; then not_ok "verify/ includes nothing of the rest" "$(cat includes)"; else ok "verify/ includes nothing of the rest"; fi
finish
