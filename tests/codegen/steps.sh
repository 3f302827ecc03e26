#!/bin/sh
# SPDX-License-Identifier: MIT
# Frequency steps on a made-up /sys: set, read back, refused, absent; put back at the end.
. tests/lib.sh
. tests/codegen/plan.inc

cat >"$T/prog.c" <<-EOC
	#include <stdio.h>
	#include <string.h>
	#include <unistd.h>
	#include "perseus_triggers.h"
	int main(int argc, char **argv)
	{
		char cat[200];
		perseus_program_start();
		snprintf(cat, sizeof(cat), "cat %s/policy*/scaling_*", argv[1]);
		if (argc > 2 && fork() == 0)
			return 0;
		fflush(stdout);
		if (argc > 2)
			usleep(100000);
		FILE *p = popen(cat, "r");
		while (fgets(cat, sizeof(cat), p))
			fputs(cat, stdout);
		pclose(p);
		printf("steps %u not_held %u refused %u unavailable %u\n", perseus_status.steps[0],
		       perseus_status.steps[1], perseus_status.steps[2], perseus_status.steps[4]);
		return 0;
	}
EOC
plan_step() { printf '      - kind: step\n        domain: %s\n        khz: %s\n' "$1" "$2"; }
{
	plan_head top 7
	echo threads:
	plan_thread 0 main - - 0 -
	printf 'triggers:\n  - number: 1\n    at: program-start\n    thread: 0\n    actions:\n'
	plan_step 0 1587000
	plan_step 1 1587000
	plan_step 2 1587000
	echo '    reason: "saves"'
} | sed 's/^max_core_id: .*/max_core_id: 7/' >"$T/plan.yaml"
exits 0 "codegen" perseus codegen "$T/plan.yaml" -o "$T/gen" --frequency=cpufreq
# The file that flies takes no other names: a copy for this made-up machine has them.
it "a copy for a made-up machine" sed -i "s,\"/sys/devices/system/cpu/cpufreq/policy\",\"$T/sys/policy\"," "$T/gen/perseus_platform_linux.c"
build() { gcc -std=gnu11 -O2 -I"$T/gen" -o "$T/prog" "$T/prog.c" "$T/gen/perseus_triggers.c" "$T/gen/perseus_platform_linux.c"; }
it "builds" build

# Policies 0, 4 and 6: domains 0, 1 and 2.  0 has a governor that takes steps, 4 and 6 have not.
mkdir -p "$T/sys/policy0" "$T/sys/policy4" "$T/sys/policy6"
fresh() {
	echo 1853000 >"$T/sys/policy6/scaling_max_freq"
	echo 1853000 >"$T/sys/policy0/scaling_max_freq"
	echo 1853000 >"$T/sys/policy0/scaling_setspeed"
	echo 1853000 >"$T/sys/policy4/scaling_max_freq"
	echo "<unsupported>" >"$T/sys/policy4/scaling_setspeed"
}
# A file takes what is written without a newline; the kernel shows one.  Writing over 7 digits keeps it.
fresh
exits 0 "runs" "$T/prog" "$T/sys"
says "^steps 3 not_held 0 refused 0 unavailable 0" "each domain is set"
it "the first by setspeed, the others by the limit" sh -c "[ \"\$(grep -c '^1587000' '$T/out')\" = 3 ]"
it "at the end everything is as it was" sh -c "grep -qx 1853000 '$T/sys/policy0/scaling_setspeed' && grep -qx 1853000 '$T/sys/policy4/scaling_max_freq'"
fresh
exits 0 "runs with a child that ends first" "$T/prog" "$T/sys" fork
it "a forked child does not take the steps back" sh -c "[ \"\$(grep -c '^1587000' '$T/out')\" = 3 ]"
fresh
rm "$T/sys/policy4/scaling_max_freq"
mkdir "$T/sys/policy4/scaling_max_freq"
exits 0 "runs where a file refuses" "$T/prog" "$T/sys"
says "^steps 2 not_held 0 refused 1 unavailable 0" "a refusal is counted and the program goes on"
fresh 2>"$T/err"
rm -rf "$T/sys/policy4"
exits 0 "runs where a domain is missing" "$T/prog" "$T/sys"
says "^steps 0 not_held 0 refused 0 unavailable 3" "which domain the others are is not known: none is set"
rm -rf "$T/sys"/policy*
exits 0 "runs without cpufreq" "$T/prog" "$T/sys"
says "^steps 0 not_held 0 refused 0 unavailable 3" "without cpufreq every step is counted as unavailable"
finish
