#!/bin/sh
# SPDX-License-Identifier: MIT
# Locks in the model that is searched: three threads, the third with twice the
# work, nine tenths of it under one mutex; and their twin without the mutex.
# On two cores the baseline puts 3 parts of work on one, the best placement 2:
# a third less time, in which nobody idles, unless 3.6 parts have to be done one
# after the other.  Plans are judged by runs that were recorded once on a quiet
# machine; of runs of today only what does not hang on the machine.
. tests/lib.sh
records=$(pwd)/tests/planner/records
cd "$T" || exit 1
cat >two.yaml <<'E'
perseus: platform
version: 1
name: "two"
source: "made"
cores:
  - {id: 0, package: 0, cache_group: 0, physical: 0, domain: 0, usable: true}
  - {id: 1, package: 0, cache_group: 0, physical: 1, domain: 1, usable: true}
steps:
  - {khz: 2600000, busy_mw: 8000, idle_mw: 6000}
energy_known: true
can_halt: true
package_halt_mw: 1000
slice_ns: 4000000
trigger_ns: 8
affinity_ns: 700
frequency_ns: 20000
migrate_ns: {cache: 4000}
E
# saving PLAN: what the best placement saves, set or left to the system, in thousandths of the baseline's energy
saving() {
	awk '$1 == "base_energy_nj:" {b = $2} /kind: call, time_ns/ {sub(/.*energy_nj: /, ""); t = $0 + 0}
		END {print b && t ? int((b - t) * 1000 / b) : -1}' "$1"
}
# held MODEL: thousandths of the work that is done under locks
held() {
	awk '/^    work:/ {w = 1} /^    serial:/ {w = 0} /^  - index:/ {w = 0} $1 == "cycles:" {if (w) a += $2; else h += $2}
		END {print a ? int(h * 1000 / a) : 0}' "$1"
}
# Recorded on one core: what two do that share its parts depends on both.
core=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
for twin in LOCKED FREE; do
	it "the program is built ($twin)" gcc -O1 -g -fplugin="$PLUGIN" -D$twin -o $twin "$records/half.c" -pthread
	exits 0 "... recorded" taskset -c "$core" perseus record -q -o today-$twin ./$twin
	exits 0 "... analyzed" perseus analyze today-$twin -o today-$twin.yaml
	it "what was recorded once unpacks" tar -xzf "$records/$twin.tar.gz"
	exits 0 "... is analyzed" perseus analyze run-$twin -o $twin.yaml
	cp out said-$twin
	perseus plan $twin.yaml -p two.yaml --objective=energy -o plan-$twin.yaml >out-$twin 2>err
	status=$?
	it "... planned" [ $status -le 1 ]
done
says '^locks +phase-[0-9]+ mutex m, 3 threads: [0-9]+ % of the phase.s work is done one after the other' \
	"perseus analyze says what is done under the lock" said-LOCKED
silent_on() { ! grep -q '^locks' "$1"; }
it "... and nothing where there is none" silent_on said-FREE
it "the model has the lock, and it has its name" grep -q 'object: "mutex m"' LOCKED.yaml
it "... that of today, too" grep -q 'object: "mutex m"' today-LOCKED.yaml
it "... with the work that is done under it" [ "$(held today-LOCKED.yaml)" -gt 0 ]
it "... and its twin has none" [ "$(held today-FREE.yaml)" -eq 0 ]
it "... with the work that is done under it" [ "$(held LOCKED.yaml)" -gt 500 ]
it "the twin has none" [ "$(held FREE.yaml)" -eq 0 ]
it "without the lock there is a gain" [ "$(saving plan-FREE.yaml)" -gt 100 ]
it "no gain is promised that the lock forbids" [ $((2 * $(saving plan-LOCKED.yaml))) -lt "$(saving plan-FREE.yaml)" ]
exits 3 "a lock has no linear form" perseus plan LOCKED.yaml -p two.yaml --export=lp.lp -o none.yaml
says 'lock 0 holds up threads' "... which it says" err
sed 's/lock: 0/lock: 4294967296/' LOCKED.yaml >bad.yaml
exits 4 "a lock's number is a number" perseus plan bad.yaml -p two.yaml -o none.yaml
awk '/serial:/ {s = 1} s && $1 == "cycles:" && !d {$0 = "            cycles: 99999999999999"; d = 1} {print}' LOCKED.yaml >bad.yaml
exits 4 "more than the work cannot be done under a lock" perseus plan bad.yaml -p two.yaml -o none.yaml
says 'more is done under the lock' "... which it says" err

# Two threads that hand over to each other: with room between they are a stream,
# which needs no term; without it their work is done one after the other, or it
# is said that the model does not have it, where the waits do not tell.
took() { perseus plan predict --json -p two.yaml "$1" "$2" | sed -n 's/.*"time_ns": \([0-9]*\).*/\1/p'; }
for what in stream,200,100,150,8 stream,200,100,150,1 turns,200,100,150; do
	name=$(echo $what | tr , -)
	it "the record of $what unpacks" tar -xzf "$records/$name.tar.gz"
	exits 0 "... it is analyzed" perseus analyze "run-$name" -o "$name.yaml"
	cp out "said-$name"
	case $what in
	stream*) silent 'turns of' "... a stream has no turns" "$name.yaml" ;;
	*) it "... no wait is passed over" grep -q -e 'turns of maker and user' -e 'waited for condition variables' -e 'may work in turns' "said-$name" ;;
	esac
	apart=$(took "$name.yaml" 0,1) together=$(took "$name.yaml" 0)
	if grep -q 'turns of' "$name.yaml"; then
		it "... two cores are no better than one" [ $((apart * 100)) -gt $((together * 95)) ]
	else
		it "... two cores are better than one" [ $((apart * 100)) -lt $((together * 90)) ]
	fi
done
finish
