#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus schedule --slurm on a real slurmctld and slurmd with eight made-up nodes: 200 short tasks, one of which fails,
# a node that is drained, a controller that is restarted, and perseus killed five times in between.
. tests/lib.sh
. tests/slurm/cluster.inc
missing=$(slurm_missing)
if [ -n "$missing" ]; then
	skip "a workflow on Slurm" "$missing"
	finish
fi
trap 'slurm_end; rm -rf "$T"' EXIT
MIN_JOB_AGE=3
# ... and Slurm forgets jobs soon: the journal has to know how they ended
it "a cluster of eight nodes is there" slurm_begin 8 || true
[ $tap_bad = 0 ] || finish
root=$(pwd)
cd "$T" || exit 1

# Each task writes who it is when it starts and ends; t77 fails, and t177 and t178 wait for it.
python3 - >work.yaml <<-'E2'
	print("workflow: 1\nnodes:")
	for i in range(1, 9):
	    print("  - {name: n%d, speed: %g}" % (i, 1 if i < 5 else 1.5))
	print("tasks:")
	for t in range(200):
	    after = {177: [77], 178: [177]}.get(t, [t - 20] if t % 3 == 0 and t >= 20 and t != 97 else [])
	    after = [a for a in after if a not in (77, 177, 178) or t in (177, 178)]
	    print('  - {name: t%d, seconds: %g, nodes: %d, after: [%s], command: "./task t%d"}'
	          % (t, 0.2 + t % 5 * 0.2, 2 if t % 10 == 4 else 1, ", ".join("t%d" % a for a in after), t))
E2
cat >task <<-'E2'
	#!/bin/sh
	echo "start $1 $SLURM_JOB_NODELIST $(date +%s.%N)" >>started
	sleep 0.5
	[ "$1" != t77 ] || exit 3
	echo "end $1 $(date +%s.%N)" >>ended
E2
chmod +x task
export SBATCH_OUTPUT=/dev/null

# run: perseus in the background, its process in $run
run() { perseus schedule --slurm --json work.yaml >out 2>>err & run=$!; }
lines() { [ -f "$1" ] && wc -l <"$1" || echo 0; }
# until_started N: wait until so many tasks have started
until_started() {
	for i in $(seq 600); do
		[ "$(lines started)" -ge "$1" ] && return
		sleep 0.1
	done
}
killed() { kill -9 $run; wait $run 2>/dev/null; }

# The first time while jobs are handed in, then in between.
touch work.yaml.journal
run
for i in $(seq 400); do [ "$(grep -c '^job' work.yaml.journal)" -ge 30 ] && break; sleep 0.05; done
killed
it "killed while it hands jobs in" test "$(grep -c '^job' work.yaml.journal)" -lt 200
run
for i in $(seq 600); do [ "$(grep -c '^job' work.yaml.journal)" -ge 150 ] && break; sleep 0.05; done
killed
run
scontrol update NodeName=n2 State=DRAIN Reason=test
drained=$(date +%s.%N)
until_started 80
killed
sleep 8
run
kill "$controller"
wait "$controller"
sleep 3
killed
run
sleep 2
slurm_controller
until_started 130
killed
ok "killed five times"
perseus schedule --slurm --json work.yaml >out 2>>err
status=$?
it "the run goes on to its end, and a task that failed is its status" test $status = 1
sed 's/^/# /' err
says '^moved: [0-9]{2,} jobs that wait$' "jobs of the drained node and behind it were moved" err
it "nothing is lost" python3 -c 'import json; d = json.load(open("out")); assert d == {"schema": 1, "tasks": 200, "done": 197, "failed": 1, "skipped": 2, "lost": 0}, d'
it "each ran, and ended" test "$(cut -d' ' -f2 ended | sort -u | wc -l)" = 197
it "none ran twice" test -z "$(cut -d' ' -f2 started | sort | uniq -d)"
it "what waits for the one that failed did not run" sh -c '! grep -qwE "t177|t178" started'
it "tasks started behind what they wait for, and on each node as planned" python3 "$root/tests/slurm/judge.py" order work.yaml
it "nothing started on the node that was drained" python3 "$root/tests/slurm/judge.py" drained n2 $drained
exits 1 "a run that has ended is not run again" perseus schedule --slurm --json work.yaml
it "... as nothing started" test "$(lines started)" = 198
finish
