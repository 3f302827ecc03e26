#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on flushed functions: each fault of the calls in the machine code, in the reviewed source
# and in the papers is found, and its twin without the fault is not.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/codegen/flush.inc
cp tests/codegen/programs/flush.c* "$T"
cd "$T" || exit 1
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
objects() { for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$f.o gen/$f.c || return 1; done; }
G="gen/perseus_triggers.o gen/perseus_platform_linux.o"

flush_plan flush.c ftz-daz early looping simple >plan.yaml
exits 0 "a plan" perseus codegen plan.yaml -o gen
it "its objects" objects
it "a planned unit, as assembly" gcc -O1 -fno-reorder-blocks $P -S -o good.s flush.c
it "an assembled program" gcc -pthread -o good good.s $G
exits 0 "the twin of all below" perseus-verify plan.yaml good
says '^3 of 3 flushed functions put the register back on every way out' "... is shown"

# ---- the machine code ---------------------------------------------------------------------
# inside FUNCTION AWK: edit the lines of one function of good.s into bad.s; n counts its calls of the end
edited() {
	awk -v f="$1" '$0 == f ":" { on = 1 } on && /perseus_flush_[0-9]*_end/ { n++ } '"$2"' { print } on && /\.size/ { on = 0 }' good.s >bad.s
	if cmp -s good.s bad.s; then not_ok "$1: nothing was edited"; return; fi
	it "$1 is assembled" gcc -pthread -o bad bad.s $G
}
# fault NAME FUNCTION AWK PATTERN
fault() {
	edited "$2" "$3"
	exits 1 "$1" perseus-verify plan.yaml bad
	says "$4" "... is named"
}
ends='/perseus_flush_[0-9]*_end/'
begins='/perseus_flush_[0-9]*_begin/'
fault "an end that is gone" early "on && $ends && n == 1 { next }" 'flush 1: .early. is left by a return at 0x[0-9a-f]+ without perseus_flush_1_end'
fault "a begin that is gone" early "on && $begins { next }" 'flush 1: .early. .*does not call perseus_flush_1_begin'
fault "an end of another region" early "on && $ends && n == 1 { sub(/flush_1/, \"flush_2\") }" 'perseus_flush_2_end is called in .early., the plan has it in .looping.'
fault "a begin for an end" early "on && $ends && n == 1 { sub(/end/, \"begin\") }" 'flush 1: .early. begins it again at'
fault "an end for a begin" early "on && $begins { sub(/begin/, \"end\") }" 'flush 1: .early. .*does not call perseus_flush_1_begin'
fault "an end twice" early "on && $ends && n == 1 { print }" 'flush 1: .early. ends it at 0x[0-9a-f]+, where it is not inside'
fault "an end that is skipped on one way" simple "on && $ends { print \"\\ttestl\\t%eax, %eax\"; print \"\\tje\\t.Lpast\"; print; print \".Lpast:\"; next }" 'flush 3: .simple. is left by a return at 0x[0-9a-f]+ without perseus_flush_3_end'
fault "an end before the computation" simple "on && /mulss/ { hold = \$0; next } on && hold && $ends { print; print hold; hold = \"\"; next }" 'flush 3: .simple. computes at 0x[0-9a-f]+ behind the region.s end'
fault "a begin behind the computation" simple "on && $begins { print \"\\tmulss\\tquarter(%rip), %xmm0\" }" 'flush 3: .simple. computes at 0x[0-9a-f]+ before the region begins'
fault "a call behind the end" simple "on && $ends { print; print \"\\tcall\\tlook\"; next }" 'flush 3: .simple. at 0x[0-9a-f]+ goes to look behind the region.s end'
fault "a call before the begin" simple "on && $begins { print \"\\tcall\\tlook\" }" 'flush 3: .simple. at 0x[0-9a-f]+ goes to look before the region begins'
fault "a tail call out of the region" simple "on && $ends { print \"\\tje\\texit\" }" 'flush 3: .simple. is left by a jump at'
fault "an exit() inside" simple "on && $ends { print \"\\tjne\\t.Lon\"; print \"\\tcall\\texit\"; print \".Lon:\" }" 'flush 3: .simple. is left by exit at'
fault "a call in another function" nothing "on && /look/ { print \"\\tcall\\tperseus_flush_3_end\" }" 'perseus_flush_3_end is called in .nothing., the plan has it in .simple.'
sed 's/\tret$/\tret\n\tnop/' good.s >same.s
it "harmless: no-ops behind returns" gcc -pthread -o same same.s $G
exits 0 "... are no fault" perseus-verify plan.yaml same

gcc -O2 -c -o plain.o flush.c
gcc -pthread -o bad plain.o $G
exits 1 "a unit compiled without the plan" perseus-verify plan.yaml bad
says 'flush 2: .looping. .flush.c. does not call perseus_flush_2_begin' "... is named"
printf '#include <setjmp.h>\nextern jmp_buf b;\njmp_buf b;\nvoid leap(void);\nvoid leap(void) { longjmp(b, 1); }\n' >leap.c
it "a program with longjmp()" gcc -O2 -pthread -o leap good.s leap.c $G
exits 0 "... could leave a region" perseus-verify plan.yaml leap
says '^not shown: that no longjmp\(\) or change of context leaves a region' "... and that is said"
exits 0 "the twin" perseus-verify plan.yaml good
silent 'longjmp' "... has no such note"

# ---- exceptions --------------------------------------------------------------------------
cp plan.yaml c.yaml
flush_plan flush.cc ftz-daz risky >plan.yaml
exits 0 "a plan for C++" perseus codegen plan.yaml -o gen
it "its objects" objects
it "a planned unit, as assembly" g++ -O1 $P -S -o good.s flush.cc
it "an assembled program" g++ -o good good.s $G
exits 0 "the twin" perseus-verify plan.yaml good
says '^1 of 1 flushed functions' "... is shown"
gcc() { g++ "$@"; }
awk '/perseus_flush_1_end/ { n++; line[n] = NR } END { print n }' good.s >count
it "has an end for returns, and one for exceptions" test "$(cat count)" -ge 2
# Each of them gone, one at a time.
for i in $(seq "$(cat count)"); do
	awk -v i="$i" '/call.perseus_flush_1_end/ { n++; if (n == i) next } { print }' good.s >bad.s
	g++ -o bad bad.s $G
	exits 1 "C++: end $i is gone" perseus-verify plan.yaml bad
	says 'flush 1: .risky. is left by (a return|an exception) at 0x[0-9a-f]+ without perseus_flush_1_end' "... is named"
done
unset -f gcc

# A function of C lets exceptions pass unless it was compiled for them.
cat >mixed.c <<-'EOC'
	extern void risk(float x);
	float through(float x, float y) { risk(x); return x * y; }
EOC
cat >mixed.cc <<-'EOC'
	#include <cstdio>
	extern "C" void risk(float x) { if (x < 1) throw 1; }
	extern "C" float through(float x, float y);
	int main() { try { through(2, 2); through(0, 1); } catch (int) { std::puts("caught"); } return 0; }
EOC
flush_plan mixed.c ftz-daz through >plan.yaml
exits 0 "a plan for C in a C++ program" perseus codegen plan.yaml -o gen
it "its objects" objects
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
for how in "" -fexceptions; do
	it "C $how in a C++ program" sh -c "gcc -O2 $how $P -c -o mixed.o mixed.c && g++ -O2 $P -o mixed mixed.cc mixed.o $G"
	exits 0 "C $how: verified" perseus-verify plan.yaml mixed
	if [ -z "$how" ]; then says '^not shown: that no exception leaves .through. past perseus_flush_1_end, from the call of risk' "... with what an exception could do"
	else silent 'not shown: that no exception' "... and the twin shows it"; fi
done
says '^1 of 1 flushed functions put the register back' "... on every way"

# ---- the reviewed source ---------------------------------------------------------------------
cp c.yaml plan.yaml
perseus codegen plan.yaml -o gen >gen.out
# changed NAME FILE SED PATTERN
changed() {
	rm -rf bad.d
	cp -r gen bad.d
	sed "$3" "gen/$2" >"bad.d/$2"
	if cmp -s "gen/$2" "bad.d/$2"; then not_ok "$1: nothing was changed"; return; fi
	exits 1 "source: $1" perseus-source-check plan.yaml bad.d/perseus_triggers.c
	says "$4" "... is named"
}
exits 0 "source: the twin" perseus-source-check plan.yaml gen/perseus_triggers.c
changed "FTZ without DAZ" perseus_triggers.h 's/PERSEUS_FP_FLUSH (0x8040u)/PERSEUS_FP_FLUSH (0x8000u)/' 'flush 1, begun: the register is 0x9f80, planned 0x9fc0'
changed "another register on entry" perseus_triggers.h 's/PERSEUS_FP_ENTRY (0x1F80u)/PERSEUS_FP_ENTRY (0x3F80u)/' 'flush 1, begun: the register is 0x1f80, planned 0x9fc0'
changed "a begin that does nothing" perseus_triggers.c '/flush_1_begin(void)/,/^}/s/\tperseus_region_begin();//' 'flush 1, begun'
changed "an end that does nothing" perseus_triggers.c '/flush_2_end(void)/,/^}/s/\tperseus_region_end();//' 'flush 2, (begun and )?ended'
changed "an end that begins" perseus_triggers.c '/flush_1_end(void)/,/^}/s/region_end/region_begin/' 'flush 1, ended'
changed "an inner end that puts back" perseus_support.h 's/level == PERSEUS_FLUSHED/level != 0u/' 'flush 1, (begun and )?ended'
changed "a register that is overwritten" perseus_support.h 's/perseus_platform_control() != PERSEUS_FP_ENTRY)/perseus_platform_control() == 1u)/' 'flush 1, begun'
changed "a change inside that is not counted" perseus_support.h 's/perseus_platform_count(&perseus_status.fp_changed)/(void)level/' 'fp_changed counts 0, expected 1'
changed "a flush on another machine" perseus_support.h 's/perseus_status.machine != PERSEUS_MACHINE_PLANNED) {/perseus_status.machine == 77u) {/' 'flush 1, begun: the register is 0x9fc0, planned 0x1f80'
changed "a flush that the plan has not" perseus_triggers.c '$a void perseus_flush_9_begin(void)\n{\n\tperseus_region_begin();\n}' 'perseus_flush_9_begin is not in the plan'
changed "the plugin's file with another function" perseus_triggers.plan 's/^flush 1 flush.c early/flush 1 flush.c late/' 'perseus_triggers.plan: flush 1 is another one than the plan'
changed "the plugin's file without one" perseus_triggers.plan '/^flush 2 /d' 'perseus_triggers.plan has 2 flushes, the plan 3'
finish
