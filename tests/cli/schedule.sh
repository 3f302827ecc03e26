#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus schedule: schedules, their check, the simulation, and files that are wrong.
. tests/lib.sh
cd "$T" || exit 1
cat >work.yaml <<-'E2'
	workflow: 1
	nodes:
	  - {name: old, count: 4}
	  - {name: new, count: 2, speed: 1.5}
	tasks:
	  - {name: mesh, seconds: 120, low: 100, high: 160}
	  - {name: solve, seconds: 900, nodes: 2, after: [mesh]}
	  - {name: draw, seconds: 60, after: [solve], deadline: 1200}
	  - {name: fit, seconds: 300, release: 100, command: "./fit run7"}
E2
exits 0 "a workflow is scheduled" perseus schedule -o plan.yaml work.yaml
says '^makespan: 720 s of 4 tasks on 6 nodes \(exact\); the optimum$' "and it is the optimum"
exits 0 "the check agrees" perseus schedule check work.yaml plan.yaml
for method in fifo heft exact genetic search; do
	exits 0 "--method=$method" perseus schedule --method=$method -o m.yaml work.yaml
	exits 0 "... is right" perseus schedule check work.yaml m.yaml
done
exits 0 "figures as JSON" perseus schedule --json work.yaml
it "... with the bound" python3 -c 'import json; d = json.load(open("out")); assert d["makespan"] == 720 and d["optimal"] and d["gap_percent"] == 0'
exits 0 "without a file the schedule is on standard output" perseus schedule work.yaml
says '^  - task: "mesh"$' "that it is"

exits 0 "a search ends in time" perseus schedule --method=search --effort=1000000 --timeout=1 -o m.yaml work.yaml

# many tasks: names are found by a table
python3 -c 'print("workflow: 1\nnodes:\n  - {name: n, count: 50}\ntasks:")
for t in range(20000): print("  - {name: t%d, seconds: %d, after: [%s]}" % (t, 1 + t * 7919 % 100, "t%d" % (t // 2) if t > 1 else ""))' >many.yaml
exits 0 "20,000 tasks are scheduled" perseus schedule --method=heft -o many.plan many.yaml
exits 0 "... and checked" perseus schedule check many.yaml many.plan

# the check and what is wrong
sed 's/start: 80$/start: 70/' plan.yaml >bad.yaml
exits 1 "a task before what it waits for is found" perseus schedule check work.yaml bad.yaml
says "task 'solve' starts at 70, before 'mesh' has ended" "it is named"
sed 's/^makespan: 720/makespan: 700/' plan.yaml >bad.yaml
exits 1 "a wrong makespan is found" perseus schedule check work.yaml bad.yaml
sed 's/seconds: 300/seconds: 301/' work.yaml >other.yaml
exits 1 "the schedule of another workflow is refused" perseus schedule check other.yaml plan.yaml
says 'another workflow' "it says so"

exits 1 "... as JSON" perseus schedule check --json work.yaml bad.yaml
it "that says so" python3 -c 'import json; d = json.load(open("out")); assert d["schema"] == 1 and d["verdict"] == "wrong" and "makespan is 720" in d["reason"]'
exits 0 "what is right" perseus schedule check --json work.yaml plan.yaml
it "... as JSON" python3 -c 'import json; d = json.load(open("out")); assert d["verdict"] == "right" and d["reason"] is None and d["bound_proven"] is True'
exits 0 "an optimum of a few tasks" perseus schedule check work.yaml plan.yaml
says 'it is the optimum: all others were tried' "... is tried"
printf 'workflow: 1\nnodes: [{name: a}, {name: b}]\ntasks: [{name: x, seconds: 3}, {name: y, seconds: 3}]\n' >pair.yaml
printf 'schedule: 1\nworkflow: "%s"\nmakespan: 6\nlate: 0\nbound: 6\noptimal: true\ntasks:\n  - {task: x, start: 0, end: 3, nodes: [a]}\n  - {task: y, start: 3, end: 6, nodes: [a]}\n' \
	"$(sha256sum <pair.yaml | cut -d' ' -f1)" >pair.plan
exits 1 "what is no optimum" perseus schedule check pair.yaml pair.plan
says 'not the optimum: there is a schedule of cost 3' "... is found"
exits 0 "... and says nothing of it where it is not claimed" sh -c 'sed "s/optimal: true/optimal: false/" pair.plan >fair.plan && perseus schedule check pair.yaml fair.plan'
sed -i 's/^optimal: false/optimal: true/; s/^bound: .*/bound: '"$(sed -n 's/^makespan: //p' many.plan)"'/' many.plan
exits 0 "an optimum of many tasks" perseus schedule check many.yaml many.plan
says 'as it says, is not shown here' "... is not shown"

# options that a call does not read
for option in tasks=9 nodes=4 error=5 failing=1 policy=heft swf=log.swf load=atlas probe-cost=3; do
	exits 2 "--$option without simulate" perseus schedule --$option work.yaml
	says "^perseus schedule: --${option%=*} needs 'simulate'" "... it says so"
	exits 2 "... with check" perseus schedule check --$option work.yaml plan.yaml
done
for option in method=heft timeout=3 output=x slurm log=x; do
	exits 2 "--$option with simulate" perseus schedule simulate --$option
	says "^perseus schedule: --${option%=*} is not for 'simulate'" "... it says so"
	exits 2 "... with check" perseus schedule check --$option work.yaml plan.yaml
done
exits 2 "--log without --slurm" perseus schedule --log=x work.yaml
exits 2 "the error of a log that is read" perseus schedule simulate --swf=log.swf --error=3

# workflows that are wrong
wrong() { sed "$1" work.yaml >wrong.yaml; exits 4 "$2" perseus schedule wrong.yaml; says "$3" "... it says so"; }
wrong 's/name: mesh,/name: mesh, after: [draw],/' "a cycle" 'waits for itself'
wrong 's/after: \[mesh\]/after: [mess]/' "a task that is not there" 'no such task'
wrong 's/seconds: 900/seconds: 0/' "a prediction of zero" 'seconds: expected a number'
wrong 's/seconds: 900/seconds: .inf/' "a prediction of infinity" 'seconds: expected a number'
wrong 's/nodes: 2/nodes: 7/' "more nodes than there are" 'takes 7 nodes, and there are 6'
wrong 's/speed: 1.5/speed: 0/' "a node that does nothing" 'speed: expected a number'
exits 4 "a workflow that is not there" perseus schedule none.yaml
exits 2 "no workflow" perseus schedule
exits 2 "a check of one file" perseus schedule check work.yaml
exits 2 "a method that there is not" perseus schedule --method=best work.yaml

# on Slurm, which is not there
sed 's/after: \[mesh\]/after: [mesh], command: "true"/; s/high: 160/high: 160, command: "true"/; s/deadline: 1200/deadline: 1200, command: "true"/' work.yaml >runs.yaml
exits 4 "a task without a command cannot be run" perseus schedule --slurm work.yaml
says "task 'mesh' has no command" "it says so"
exits 3 "without Slurm there is no run" env PATH="$O/bin" "$O/bin/perseus" schedule --slurm --log=runs.log runs.yaml
says 'scontrol' "what is missing is named"
it "... and the journal is there to go on with" grep -q '^perseus-journal 1 ' runs.log
exits 4 "the journal of another workflow is refused" perseus schedule --slurm --log=runs.log other.yaml
exits 3 "a journal that cannot be written is the machine's" perseus schedule --slurm --log=/nodir/x runs.yaml

# the simulation
exits 0 "a cluster is simulated" perseus schedule simulate --tasks=12 --nodes=4 --effort=2 --json
it "... by five policies, which end all" python3 -c 'import json
d = json.load(open("out"))["policies"]
assert [x["policy"] for x in d] == ["fifo", "backfill", "heft", "genetic", "search"] and all(x["ended"] == 12 for x in d)'
printf '1 0 -1 100 1 -1 -1 1 100\n2 1 -1 50 2 -1 -1 2 50\n3 2 -1 60 1 -1 -1 1 60\n' >log.swf
exits 0 "a log is simulated" perseus schedule simulate --swf=log.swf --nodes=2 --effort=2
says '^backfill  makespan 150 s' "with what backfill makes of it"
exits 0 "one policy alone" perseus schedule simulate --policy=backfill --swf=log.swf --nodes=2
it "... is all that is said" test "$(grep -c makespan out)" = 1
exits 2 "a policy that there is not" perseus schedule simulate --policy=luck

# registrations, which run on any number of nodes, with probes and without
exits 0 "the case study is simulated" perseus schedule simulate --load=atlas --tasks=12 --json
it "... by six policies, which end all" python3 -c 'import json
d = json.load(open("out"))["policies"]
assert [x["policy"] for x in d] == ["sequential", "parallel", "blind", "probed", "perfect", "chosen"] and all(x["ended"] == 12 for x in d)
assert d[5]["done"] in ("sequential", "parallel", "blind", "probed")'
exits 0 "... in words" perseus schedule simulate --load=registrations --tasks=12 --probe-cost=300
says '^chosen +makespan [0-9]+ s, .*: (sequential|parallel|blind)$' "without probes where they cost three times the whole"
exits 2 "--probe-cost of other loads" perseus schedule simulate --probe-cost=3
for option in policy=heft effort=3 failing=3 swf=log.swf; do
	exits 2 "--$option of registrations" perseus schedule simulate --load=atlas --$option
done
printf '4 3 -1 0 1 -1 -1 1 60\n5 4 -1 9 5000 -1 -1 5000 60\n' | cat log.swf - >more.swf
exits 0 "a log with jobs that are not simulated" perseus schedule simulate --policy=heft --swf=more.swf --nodes=2
says '^note: more.swf: jobs left out that never ran: 1$' "... names one that never ran"
says '^note: more.swf: jobs left out that had more than 4096 processors: 1$' "... and one that is too wide"
printf '6 5 -1\n' | cat log.swf - >cut.swf
exits 4 "a log with a line that is cut off" perseus schedule simulate --swf=cut.swf
says 'cut.swf line 4: no job of the standard workload format' "... is refused with the line"
printf 'x\n' >bad.swf
exits 4 "a log without jobs is refused" perseus schedule simulate --swf=bad.swf
finish
