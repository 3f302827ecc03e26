#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus tune beyond time: joules of a made-up meter, requirements, fronts, builds that are kept, plans as values, and
# the winner as a program that can be proven.
. tests/lib.sh
. tests/codegen/plan.inc
progs=$(pwd)/tests/codegen/programs
cd "$T" || exit 1
prog() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
space() { printf 'perseus: tunables\nversion: 1\ntunables:\n%s\n' "$2" >"$1"; }
space a.yaml '  - {name: a, kind: integer, low: 1, high: 16, default: 16, environment: A}'
tune() { perseus tune --trials=36 --confirm=8 --worth=0 "$@"; }

# ---- joules: the program draws what it is set to, in one step
zone=root/sys/class/powercap/intel-rapl:0
mkdir -p $zone
echo package-0 >$zone/name
echo 262143328850 >$zone/max_energy_range_uj
printf '%012d\n' 1000000 >$zone/energy_uj
prog draws 'read -r e <root/sys/class/powercap/intel-rapl:0/energy_uj
e=${e#"${e%%[!0]*}"}; d=$((A - 5)); d=${d#-}
printf "%012d\n" $((e + 1000000 + 300000 * d)) 1<>root/sys/class/powercap/intel-rapl:0/energy_uj'
tune_small() { perseus tune --trials=20 --confirm=7 --worth=0 --slow=0 --sysroot=root "$@"; }
space few.yaml '  - {name: a, kind: list, values: [16, 5, 9], environment: A}'
exits 0 "energy is tuned by a meter" tune_small --space=few.yaml --objective=energy ./draws
says '^setting: a=5$' "... to the least"
says '^values: 4\.3 J by default, 1 J with the best found \(medians\)$' "... in joules"
exits 3 "without a meter" perseus tune --space=few.yaml --objective=energy --sysroot=nothing ./draws
says "meter|joules" "... it is said that there is none"
perseus tune --trials=20 --confirm=7 --worth=0 --slow=0 --sysroot=root --space=few.yaml --objective=edp --json ./draws >edp.json 2>err
it "energy x time is the product" python3 -c "
import json
d = json.load(open('edp.json'))
assert d['verdict'] in ('gain', 'cannot tell', 'default'), d
assert 0 < d['trials'] <= 20, d"
exits 2 "a figure and an objective" tune --space=few.yaml --objective=energy --figure=x ./draws
exits 2 "an objective that is none" tune --space=few.yaml --objective=beauty ./draws

# ---- requirements
prog quality 'echo "cost $((100 + A))"; echo "quality 0.$((A + 10))"'
exits 0 "a requirement on a figure" tune --space=a.yaml --figure=cost --require='quality>=0.19' ./quality
says '^setting: a=9$' "... is kept, exactly"
says 'unmet \(quality 0\.1[0-8]*\) with a=' "... what breaks it is named with its figure"
exits 0 "the twin: none" tune --space=a.yaml --figure=cost ./quality
says '^setting: a=1$' "... the least of all"
exits 0 "strictly" tune --space=a.yaml --figure=cost --require='quality > 0.19' --require='cost<117' ./quality
says '^setting: a=10$' "... two of them"
exits 4 "a requirement that the default breaks" tune --space=a.yaml --figure=cost --require='quality<0.2' ./quality
says 'the default setting fails \(unmet\)' "... is said"
says 'unmet \(quality 0\.26\) with a=16' "... with its figure"
exits 4 "a figure that nobody prints" tune --space=a.yaml --figure=cost --require='beauty>1' ./quality
says 'unmet \(no beauty is printed\)' "... is missed by name"
exits 2 "a requirement that is none" tune --space=a.yaml --figure=cost --require='quality' ./quality
says "expected NAME <= NUMBER" "... is told"
cat >eats.py <<'P'
import os
x = bytearray(b"x") * (int(os.environ["A"]) * 8 * 1024 * 1024)
print("cost", 200 - int(os.environ["A"]))
P
prog eats 'exec /usr/bin/python3 eats.py'
space memory.yaml '  - {name: a, kind: list, values: [1, 2, 4, 8, 16], environment: A}'
exits 0 "memory" perseus tune --trials=24 --confirm=8 --worth=0 --space=memory.yaml --figure=cost --require='memory_mb<=64' ./eats
says '^setting: a=4$' "... is the most that it ever had"
exits 0 "a deadline that all keep" tune --space=a.yaml --figure=cost --require='seconds<=1000' ./quality
says '^setting: a=1$' "... changes nothing"

# ---- a front: time goes down and size goes up with a; every multiple of 3 is worse in both
prog both 'w=$((A % 3 ? 0 : 7)); echo "cost $((100 + 16 - A + w))"; echo "size $((10 + A + w))"'
exits 0 "a front" perseus tune --trials=80 --confirm=7 --worth=0 --space=a.yaml --figure=cost --trade=size --json ./both
it "... is what nobody beats of what was tried" python3 -c "
import json
d = json.load(open('out'))
front = [(round(x['value']), round(x['other']), int(x['setting']['a'])) for x in d['front']]
assert d['trade'] == 'size' and len(front) >= 3, front
assert all(a % 3 for _, _, a in front), front
assert front == sorted(front) and [x[1] for x in front] == sorted((x[1] for x in front), reverse=True), front
assert all(c == 116 - a and s == 10 + a for c, s, a in front), front"
exits 0 "... as text" perseus tune --trials=40 --confirm=7 --worth=0 --space=a.yaml --figure=cost --trade=size ./both
says "^  cost 10[0-9], size 2[0-9]: a=1[0-9]$" "... a line each"
exits 0 "memory and time" perseus tune --trials=20 --confirm=7 --worth=0 --space=few.yaml --figure=cost --trade=memory_mb ./quality
exits 4 "a second figure that is not printed" tune --space=a.yaml --figure=cost --trade=none ./quality

# ---- builds: a command for each setting that it depends on
space flags.yaml '  - {name: opt, kind: list, values: ["-O0", "-O1", "-O2"]}
  - {name: idle, kind: integer, low: 0, high: 3}'
cat >flag.c <<'C'
#include <stdio.h>
int main(void)
{
#ifndef __OPTIMIZE__
	puts("cost 300");
#else
	puts("cost 100");
#endif
	return 0;
}
C
build='echo {opt} >>built; gcc {opt} -o {build}/prog flag.c'
exits 0 "flags of a compiler" perseus tune --trials=24 --confirm=7 --worth=0 --space=flags.yaml --figure=cost --builds=kept --build="$build" --json {build}/prog
cp out flags.json
it "... are found" python3 -c "
import json
d = json.load(open('flags.json'))
assert d['verdict'] == 'gain' and d['setting']['opt'] in ('-O1', '-O2'), d
assert d['builds'] == 3 and d['builds_used_again'] > 20, d"
it "... with one build for each" sh -c '[ "$(sort built | uniq -c | awk "{ print \$1 }" | sort -u)" = 1 ]'
# Kept folders are built again once by each process: what changed since is not missed.
exits 0 "a second time" perseus tune --trials=24 --confirm=7 --worth=0 --space=flags.yaml --figure=cost --builds=kept --build="$build" {build}/prog
it "... each is built once more" sh -c '[ "$(sort built | uniq -c | awk "{ print \$1 }" | sort -u)" = 2 ]'
cp flag.c flag.keep
sed 's/cost 100/cost 400/' flag.keep >flag.c
exits 0 "... when the source has changed" perseus tune --trials=24 --confirm=7 --worth=0 --space=flags.yaml --figure=cost --builds=kept --build="$build" {build}/prog
says '^setting: opt=-O0' "... by what it is now"
echo '#error no program any more' >flag.c
exits 4 "... and when it cannot be built any more" perseus tune --trials=24 --confirm=7 --worth=0 --space=flags.yaml --figure=cost --builds=kept --build="$build" {build}/prog
says 'it is not built: .*/perseus-build.log' "... what was built before does not stand for it"
mv flag.keep flag.c
space broken.yaml '  - {name: opt, kind: list, values: ["-O0", "-no-such-flag", "-O2"]}'
exits 0 "a build that fails" perseus tune --trials=20 --confirm=7 --worth=0 --space=broken.yaml --figure=cost --builds=kept --build="$build" {build}/prog
says 'failed \(it is not built: .*/perseus-build.log\) with opt=-no-such-flag' "... is refused, with where it says why"
exits 2 "--builds without --build" tune --space=flags.yaml --builds=x ./both

# ---- the winner as a program
# It sleeps twice as long by default: other load does not hide that.
prog sleeps 'sleep 0.$((100 + 20 * A))'
perseus tune --trials=20 --confirm=7 --worth=0 --space=few.yaml --prove=proof ./sleeps >out 2>err
case $? in 0 | 5) ok "default and winner are compared" ;; *) not_ok "default and winner are compared" "$(cat out err)" ;; esac
says '^gain' "... the winner is faster"
says "proven|inconclusive|refuted" "... by perseus prove"
it "... as programs that can be run again" sh -c 'grep -qxE "A=(5|9)" proof/best && ./proof/best && ./proof/default'
exits 2 "a proof of a figure" tune --space=a.yaml --figure=cost --prove=proof ./quality

# ---- plans as values
if [ -z "$SAN" ] && [ -n "$B" ]; then
	cat >place.c <<-EOC
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <sched.h>
		#include <stdio.h>
		static void *work(void *arg)
		{
			cpu_set_t mask;
			sched_getaffinity(0, sizeof(mask), &mask);
			*(int *)arg = CPU_COUNT(&mask) == 1 && CPU_ISSET($B, &mask) ? 100 : CPU_COUNT(&mask) == 1 ? 300 : 200;
			return arg;
		}
		int main(void)
		{
			pthread_t t;
			int cost = 0;
			pthread_create(&t, NULL, work, &cost);
			pthread_join(t, NULL);
			printf("cost %d\n", cost);
			return 0;
		}
	EOC
	it "a program with probes" gcc -O2 -fplugin="$PLUGIN" -o place place.c -pthread
	place_plan() { plan_head | sed 's/^program: .*/program: "place"/'; echo threads:; plan_thread 0 main - - 0 -; plan_thread 1 work 0 0 0 "$1"
		echo sites:; plan_site_of 0 $(site_line ./place main create); }
	place_plan "$A" >here.yaml
	place_plan "$B" >there.yaml
	space plans.yaml '  - {name: plan, kind: list, values: [none, here.yaml, there.yaml]}'
	exits 0 "plans are values" perseus tune --trials=20 --confirm=7 --worth=0 --space=plans.yaml --plans=plan --figure=cost ./place
	says '^setting: plan=there.yaml$' "... and act in the program"
	says '^values: cost 200 by default, cost 100 with the best found' "... without a rebuild"
	space bad.yaml '  - {name: plan, kind: list, values: [none, nowhere.yaml]}'
	exits 4 "a plan that is missing" perseus tune --space=bad.yaml --plans=plan --figure=cost ./place
	says "nowhere.yaml" "... is named"
	exits 4 "no such tunable" perseus tune --space=plans.yaml --plans=plam --figure=cost ./place
	sed 's/^cpu: .*/cpu: "Another"/' there.yaml >there2.yaml
	space other.yaml '  - {name: plan, kind: list, values: [none, there2.yaml]}'
	exits 3 "a plan of another machine" perseus tune --space=other.yaml --plans=plan --figure=cost ./place
	says "there2.yaml. is of another machine: nothing was set" "... is no setting"
	exits 3 "a plan with a core that the program may not use" taskset -c "$A" perseus tune --space=plans.yaml --plans=plan --figure=cost ./place
	says "there.yaml. did not act as planned: 1 cores and 0 frequency steps were not set" "... is none either"
else
	skip "plans as values" "needs two cores and the plugin"
fi
finish
