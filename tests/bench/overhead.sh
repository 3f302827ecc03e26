#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-overhead: the overhead that a report tells, beside what was
# measured: CPU time of the recorded program and its recorder over that of the
# plain build, which runs at the same time on the same core, in four modes.  The
# programs of overhead/held were not looked at while the prices were chosen, those
# of overhead/fresh not while it was chosen which intervals have no middle.
#   BENCH_ONLY="NAME ..."   BENCH_SET="fitted held fresh"   BENCH_MODES="timing trace budget sharing"
#   BENCH_CORES=N (default 1: what threads do to each other's caches is not certain enough on more)
. tests/bench/lib.sh
load_note
FITTED="json:150 pack:60 matrix:700 pipe:150000 match:60000 sort:400000 stencil:250 tree:6000 words:120000 machine:50 kv:2,12000"
HELD="queens:14 graph:30000 lists:5000 turns:20000 bodies:15000 bytes:150000 names:500000 rounds:1200 fourier:350 counts:25000 recent:3000000 distance:700"
FRESH="cells:3000000 digits:2500000 heap:1500 julia:4000 lexer:2400 life:250 order:60 shapes:900"

# flags VARIANT
flags() { [ "$1" = plain ] || plugin_flags calls,memory; }

# build SOURCE NAME: plain and with probes
build() {
	for v in plain probed; do
		mkdir -p "$T/$v"
		case $1 in *.cc) cc=g++ ;; *) cc=gcc ;; esac
		# shellcheck disable=SC2046
		$cc -O2 -g -w -fopenmp $(flags $v) -o "$T/$v/$2" "$1" -lpthread -lm || return 1
	done
}

# measure_set SET FOLDER NAME:ARGUMENTS...
measure_set() {
	set_name=$1 folder=$2
	shift 2
	echo "--- $set_name"
	for spec; do
		name=${spec%%:*} args=$(echo "${spec#*:}" | tr , ' ')
		case " ${BENCH_ONLY:-$name} " in *" $name "*) ;; *) continue ;; esac
		source=$(ls "$folder/$name".c "$folder/$name".cc 2>/dev/null)
		build "$source" "$name" || continue
		# shellcheck disable=SC2086
		python3 tests/bench/overhead.py "${BENCH_CORES:-1}" "$T" "$name" "$T/plain/$name" "$T/probed/$name" $args |
			tee -a "$T/$set_name"
	done
	all=$(grep -c measured "$T/$set_name" 2>/dev/null)
	figure "overhead-$set_name-goal" "$(grep -c 'in goal' "$T/$set_name" 2>/dev/null)" "" "of $all: told within 2 points or a factor of 1.3"
	figure "overhead-$set_name-unsure" "$(grep -c 'not sure' "$T/$set_name" 2>/dev/null)" "" "of $all: what was measured is not certain enough"
	figure "overhead-$set_name-interval" "$(grep -c '  interval' "$T/$set_name" 2>/dev/null)" "" "of $all: told as an interval that holds what was measured, without a middle"
	for word in OFF wide good; do
		figure "overhead-$set_name-$word" "$(grep -c " $word" "$T/$set_name" 2>/dev/null)" 0 "of $all: $(case $word in
			OFF) echo not even the interval holds what was measured ;;
			wide) echo only the interval holds what was measured ;;
			good) echo called good above 10 % ;; esac)"
	done
}
for s in ${BENCH_SET:-fitted held fresh}; do
	case $s in
	fitted) measure_set fitted tests/bench/overhead $FITTED ;;
	held) measure_set held tests/bench/overhead/held $HELD ;;
	fresh) measure_set fresh tests/bench/overhead/fresh $FRESH ;;
	esac
done
finish_bench
