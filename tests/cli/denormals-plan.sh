#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus denormals --plan: from a count of births to a program that flushes in the function that has them, verified,
# with the result that the experiment had.
. tests/lib.sh
cp tests/denormal/programs/jacobi.c "$T"
cp yaml/examples/platform.yaml "$T/other.yaml"
cd "$T" || exit 1
C="-O2 -g -ffp-contract=off -pthread"
N="200 120"
D="-fplugin=$PLUGIN -fplugin-arg-perseus-probe=denormal:full"
P="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"

it "a program with counters" gcc $C $D -o counted jacobi.c -lm
it "without them" gcc $C -o plain jacobi.c -lm
exits 0 "is recorded" perseus record --purpose=denormal ./counted $N
exits 4 "a plan needs a machine" perseus denormals --plan=plan.yaml
says 'there is no platform.yaml here' "... which is said"
exits 0 "the plan of its births" perseus denormals --plan=plan.yaml -p other.yaml
says '^    unit: "jacobi.c"$' "names the unit" plan.yaml
says '^    function: "sweep"$' "... and the function that has them" plan.yaml
says '^    set: ftz-daz$' "... what is set" plan.yaml
says '^    births: [1-9]' "... how many births there were" plan.yaml
says '^    reason: "[0-9,]+ denormals are born here in run .*cost' "... and why" plan.yaml
exits 0 "on standard output" perseus denormals --plan -p other.yaml
it "it is the same" cmp -s out plan.yaml
exits 0 "the experiment with that function" perseus denormals --what-if=ftz:sweep --pairs=5 --plan=plan.yaml -- ./counted $N
says '^denormals births [1-9][0-9,]*, with the flush 0' "ends the births"
says '^    change: "none, bit by bit;|^    change: ".* births [1-9][0-9]*, with the flush 0' "... which the plan says now" plan.yaml
exits 4 "an experiment with another function" perseus denormals --what-if=ftz:work --pairs=5 --plan=plan.yaml -- ./counted $N
says "has no flush of work\(\)" "... is not of this plan"
exits 2 "--plan and --patch" perseus denormals --plan --patch
exits 2 "an experiment without a file for the plan" perseus denormals --plan --what-if=ftz:sweep -- ./plain
exits 0 "a run without denormals" perseus record --purpose=denormal ./counted 40 10 0.1
exits 6 "... has no plan" perseus denormals --plan=none.yaml -p other.yaml
says 'counted no births' "... which is said"
it "... and no file" test ! -e none.yaml

# ---- a function in a header, which two units compile -------------------------------------
cat >tail.h <<-'EOC'
	__attribute__((noinline)) static float tail(float x)
	{
		return x * 1e-10f;
	}
EOC
cat >one.c <<-'EOC'
	#include <stdio.h>
	#include "tail.h"
	extern float two(float x);
	volatile float small = 1e-30f;
	int main(void)
	{
		float a = tail(small);
		for (int i = 0; i < 2; i++) a += two(small);
		printf("%a\n", a);
		return 0;
	}
EOC
printf '#include "tail.h"\nfloat two(float x) { return tail(x); }\n' >two.c
# header FLAGS: counted, recorded, planned
header() {
	gcc -O2 -g $1 $D one.c two.c -o header && perseus record -q --purpose=denormal -o "counts$1" ./header >/dev/null &&
		perseus denormals --plan=header.yaml -p other.yaml "counts$1" >out 2>err
}
it "births in a header" header ""
it "are planned in the units that compile it, most first" sh -c 'test "$(sed -n "s/^    unit: //p" header.yaml | tr "\n" " ")" = "\"two.c\" \"one.c\" "'
it "... each with its own" sh -c 'test "$(sed -n "s/^    births: //p" header.yaml | tr "\n" " ")" = "2 1 "'
exits 0 "their code" perseus codegen header.yaml -o inc
sed "s/^n_cores: .*/n_cores: $(getconf _NPROCESSORS_ONLN)/; s/^cpu: .*/cpu: \"$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)\"/; s/^max_core_id: .*/max_core_id: $(sed 's/.*[-,]//' /sys/devices/system/cpu/possible)/" header.yaml >h.yaml
exits 0 "... for this machine" perseus codegen h.yaml -o inc
it "its build finds them" gcc -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=inc/perseus_triggers.plan one.c two.c inc/perseus_triggers.c inc/perseus_platform_linux.c -pthread -o flushed
exits 0 "... and they flush" ./flushed
says '^0x0p\+0$' "... all"
if header -flto; then not_ok "a link-time build does not name the units" "$(cat header.yaml)"; else ok "a link-time build does not name the units"; fi
says 'tail.h:3: tail\(\) has 3 births and lies in a header' "... so it is refused, with the place" err

# ---- built and run ----------------------------------------------------------------------
# The machine that runs this, for that of the platform.
cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)
sed "s/^n_cores: .*/n_cores: $(getconf _NPROCESSORS_ONLN)/; s/^cpu: .*/cpu: \"$cpu\"/; s/^max_core_id: .*/max_core_id: $(sed 's/.*[-,]//' /sys/devices/system/cpu/possible)/" plan.yaml >here.yaml
exits 0 "its code" perseus codegen here.yaml -o gen
objects() { for f in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$f.o gen/$f.c || return 1; done; }
it "its objects" objects
G="gen/perseus_triggers.o gen/perseus_platform_linux.o"
it "the planned program" sh -c "gcc $C $P -c -o user.o jacobi.c && gcc $C -o planned user.o $G -lm"
it "... and with counters" sh -c "gcc $C $D -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c -o count.o jacobi.c && gcc $C $D -o planned-counted count.o $G -lm"
exits 0 "it is verified, with its objects" perseus-verify here.yaml planned --objects user.o $G
says '^1 of 1 flushed functions put the register back on every way out' "... and every way out is shown"
exits 0 "its births" perseus record --purpose=denormal ./planned-counted $N
exits 0 "... are counted" perseus denormals --json
it "there are none" python3 -c "import json; assert json.load(open('out'))['total']['births'] == 0"

# The experiment's result: the library that what-if preloads, and no plan.
nm plain | awk '$3 == "sweep" { print $1 }' >at
./plain $N >want.plain
cat >reference.c <<-'EOC'
	#include <xmmintrin.h>
	static void on(void) __attribute__((constructor));
	static void on(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
EOC
it "the whole program flushed" gcc $C -o flushed jacobi.c reference.c -lm
for threads in 1 4; do
	./flushed $N 0 $threads | cut -d' ' -f1 >want
	exits 0 "planned, $threads threads" ./planned $N 0 $threads
	it "... has the flushed result" test "$(cut -d' ' -f1 out)" = "$(cat want)"
done
it "which is not that of the plain program" test "$(cut -d' ' -f1 want.plain)" != "$(cat want)"
finish
