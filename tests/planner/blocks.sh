#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan --blocks: what a run was like between the boundaries of phases.
# Four threads that work under one lock, and their twin with a lock for each.
# What a plan must say of them is judged by runs that were recorded once on a
# quiet machine: beside other load threads may wait for the lock, or not, as it
# happens.  Of a run of today it is asked that the whole way can be gone.
. tests/lib.sh
records=$(pwd)/tests/planner/records
cd "$T" || exit 1
# times_longer PLAN: the simulated time is so many times that of the fluid model
times_longer() {
	awk '$1 == "time_ns:" && !t {t = $2} $1 == "simulated_time_ns:" {s = $2} END {print t ? s / t : 0}' "$1"
}
for twin in shared alone; do
	flag=
	[ $twin = alone ] && flag=-DALONE
	it "the program with its locks $twin is built" \
		gcc -O1 -g -fplugin="$PLUGIN" $flag -o $twin "$records/lock.c" -pthread
	exits 0 "... recorded" perseus record -q -o today-$twin ./$twin
	exits 0 "... analyzed with its blocks" perseus analyze today-$twin -o today.yaml --blocks=today.blocks
	perseus plan today.yaml --blocks=today.blocks -p xeon-e5320 -o today-plan.yaml >out 2>err
	status=$?
	it "... and planned on them" [ $status -le 1 ]
	it "what was recorded once unpacks" tar -xzf "$records/$twin.tar.gz"
	exits 0 "... is analyzed with its blocks" perseus analyze run-$twin -o $twin.yaml --blocks=$twin.blocks
	says "^wrote .*$twin.yaml, $twin.blocks" "... which it says"
	perseus plan $twin.yaml --blocks=$twin.blocks -p xeon-e5320 -o plan-$twin.yaml >out-$twin 2>err
	status=$?
	it "... and planned on them" [ $status -le 1 ]
	says '^simulated .* on the recorded' "... with what the blocks say" out-$twin
	perseus plan $twin.yaml -p xeon-e5320 -o plain-$twin.yaml >out 2>err
	it "without blocks the locks are spread evenly" awk -v x="$(times_longer plain-$twin.yaml)" \
		'BEGIN {exit !(x > 0.99 && x < 1.1)}'
done
# fluid_time PLAN
fluid_time() {
	awk '$1 == "time_ns:" {print $2; exit}' "$1"
}
it "threads that share a lock work one after the other, which both evaluators know" awk \
	-v f="$(fluid_time plan-shared.yaml)" -v a="$(fluid_time plan-alone.yaml)" \
	-v x="$(times_longer plan-shared.yaml)" 'BEGIN {exit !(f > 1.5 * a && x > 0.8 && x < 1.25)}'
it "... and the plan says how long they wait" grep -q 'inside of phases threads wait' out-shared
it "those with locks of their own do not" awk -v x="$(times_longer plan-alone.yaml)" 'BEGIN {exit !(x < 1.2)}'
perseus plan shared.yaml --blocks=shared.blocks -p xeon-e5320 -o again.yaml >out 2>err
it "the same blocks give the same bytes" cmp plan-shared.yaml again.yaml
exits 4 "the blocks of another model are refused" \
	perseus plan shared.yaml --blocks=alone.blocks -p xeon-e5320 -o none.yaml
says 'belongs to model' "and the reason is named" err
head -c 300 shared.blocks >cut.blocks
exits 4 "blocks that are cut off are refused" perseus plan shared.yaml --blocks=cut.blocks -p xeon-e5320 -o none.yaml
exits 4 "blocks that are not there are refused" perseus plan shared.yaml --blocks=no.blocks -p xeon-e5320 -o none.yaml
exits 4 "a model is no block file" perseus plan shared.yaml --blocks=shared.yaml -p xeon-e5320 -o none.yaml
it "nothing was written for them" [ ! -e none.yaml ]
finish
