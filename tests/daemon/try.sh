#!/bin/sh
# SPDX-License-Identifier: MIT
# Frequency steps of a trial: perseusd on a made-up machine lends them to `try`, `record --try` and `tune --plans`, and
# takes them back; where it does not, the trial says so by name.
. tests/lib.sh
. tests/daemon/common.inc
. tests/codegen/plan.inc
[ -z "$SAN" ] || { skip "frequency steps of a trial" "the plugin is not built with a sanitizer"; finish; }
policy=$M/sys/devices/system/cpu/cpufreq/policy
new_machine
cd "$T" || exit 1

# A program that says at which frequency policy 0 is, before and after a step that stands at a call.
cat >clock.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static long khz(const char *policy, const char *file)
{
	char path[4096];
	long value = 0;
	FILE *f;
	snprintf(path, sizeof(path), "%s0/%s", policy, file);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld", &value) != 1)
		exit(9);
	fclose(f);
	return value;
}
__attribute__((noinline)) static long look(const char *policy, const char *when)
{
	long least = khz(policy, "scaling_min_freq"), most = khz(policy, "scaling_max_freq");
	printf("%s %ld-%ld\n", when, least, most);
	return most;
}
int main(int argc, char **argv)
{
	long cost = 0;
	for (int i = 0; i < 2; i++)
		cost = look(argv[1], i ? "call" : "start") / 1000;
	printf("cost %ld\n", cost);
	return argc > 2 ? *(volatile char *)0 : 0;
}
C
it "a program with probes" gcc -O2 -fno-inline -fplugin="$PLUGIN" -o clock clock.c
step() { printf '    actions:\n      - kind: step\n        domain: 0\n        khz: %s\n    reason: "saves"\n' "$1"; }
# clock_plan KHZ: the low step at the start, KHZ before the second look
clock_plan() {
	plan_head | sed 's/^program: .*/program: "clock"/'
	printf 'threads:\n'
	plan_thread 0 main - - 0 -
	echo sites:
	plan_site_of 0 $(site_line ./clock main look)
	printf 'triggers:\n  - number: 1\n    at: program-start\n    thread: 0\n'
	step $low
	printf '  - number: 2\n    at: call\n    thread: 0\n    site: 0\n    after: false\n    first: 2\n    every: 0\n'
	step "$1"
}
clock_plan $high >plan.yaml
# The code that flies knows the real machine's policies: this compiler puts those of the made-up one in their place.
mkdir bin
cat >bin/gcc <<EOC
#!/bin/sh
for word; do
	case \$word in */perseus_platform_linux.c)
		sed -i 's,"/sys/devices/system/cpu/cpufreq/policy","$policy",' "\$word" ;;
	esac
done
exec $(command -v gcc) "\$@"
EOC
chmod +x bin/gcc
made_up() { PATH=$T/bin:$PATH "$@"; }
json() { /usr/bin/python3 -c "
import json, sys
d = json.load(open('status.json'))
print(d['steps']['set'], d['steps']['refused'], d['steps']['unavailable'], d['steps_by'], d['shortfall'])"; }
counts() { if [ "$(json)" = "$1" ]; then ok "$2"; else not_ok "$2" "$(json) instead of $1"; fi; }
# Who ran the trial waits for that: nothing is held when it has ended.
back() { if is_free 0; then ok "$1"; else not_ok "$1" "policy 0 says $(khz 0)"; fi; }

# ---- lent
# Of root a daemon wants a proof that generated code does not give; all are let in.
configure "frequency-users all"
it "the daemon starts" start
exits 0 "a trial" made_up perseus try --socket="$S" --status=status.json plan.yaml -- ./clock "$policy"
says "^start $low-$low\$" "its first step is in force before main() goes on"
says "^call $high-$high\$" "... and the second before the call"
says "frequency steps: 2 set by perseusd$" "it says who lent them"
silent "were not made" "... and that nothing is missing"
counts "2 0 0 perseusd None" "... as JSON, too"
says "plan=$(sha256sum <plan.yaml | cut -c1-64)" "the daemon's record has the plan's hash" "$T/log"
back "they are back when it has ended"
exits 139 "a trial that is killed" made_up perseus try --socket="$S" -q plan.yaml -- ./clock "$policy" die
back "... leaves none behind"
exits 0 "the twin: the program as it is" ./clock "$policy"
says "^call $low-$high\$" "... has none"
exits 0 "a trial that is recorded" made_up perseus record --socket="$S" --try=plan.yaml -o run ./clock "$policy"
says "^call $high-$high\$" "... is at the same step"
says "frequency steps: 2 set by perseusd$" "... and says so"
back "... and gives it back"

# ---- as values of a tunable
clock_plan $low >low.yaml
printf 'perseus: tunables\nversion: 1\ntunables:\n  - {name: plan, kind: list, values: [none, plan.yaml, low.yaml]}\n' >space.yaml
tune() { made_up perseus tune --socket="$S" --trials=20 --confirm=7 --worth=0 --space=space.yaml --plans=plan --figure=cost ./clock "$policy"; }
exits 0 "plans with steps are values" tune
says '^setting: plan=low.yaml$' "... and act"
says "^values: cost $((high / 1000)) by default, cost $((low / 1000)) with the best found" "... in each run"
back "... and end with it"
stop

# ---- refused
configure "frequency-users none"
it "a daemon that lends nothing" start
exits 0 "a trial goes on" made_up perseus try --socket="$S" --status=status.json plan.yaml -- ./clock "$policy"
says "^call $low-$high\$" "... at the frequency that was there"
says "frequency steps: 0 set, 2 refused \(Permission denied\)" "... and says that it was refused"
counts "0 2 0 perseusd 2 of 2 frequency steps were not made: perseusd did not make them" "... as JSON, too"
exits 3 "a tunable of such plans" tune
says "did not act as planned: 0 cores and 2 frequency steps were not set" "... has no value"
stop

# ---- nobody there
exits 0 "without a daemon" made_up perseus try --socket="$S" --status=status.json plan.yaml -- ./clock "$policy"
says "frequency steps: 0 set, 2 not possible here$" "... steps are counted"
says "^note +2 of 2 frequency steps were not made: perseusd is not there, or this machine has fewer clock domains" "... and missed by name"
counts "0 0 2 None 2 of 2 frequency steps were not made: perseusd is not there, or this machine has fewer clock domains than the plan" "... as JSON, too"
finish
