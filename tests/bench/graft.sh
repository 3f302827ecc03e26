#!/bin/sh
# SPDX-License-Identifier: MIT
# Two ways in, one gain: pairs and imgapp are recorded and planned, then built once with the plugin that inserts the
# calls and once, without it, from the source that the diff of codegen --graft has changed.  `perseus prove` measures
# each against the plain build, and one against the other, whose ratio should be 1.
#   PAIRS=20 SIZE=0.3    pairs of runs, and the size of one that is measured
. tests/bench/lib.sh
examples=$(pwd)/examples
pairs=${PAIRS:-20} size=${SIZE:-0.3}
cd "$T" || exit 3
load_note

# build NAME OUT FLAGS OBJECT...: as examples/*/Makefile does
build() {
	b_source=$1 b_out=$2 b_flags=$3
	shift 3
	gcc -O2 -g -falign-functions=64 -pthread $b_flags -o "$b_out" "$b_source" "$@"
}

# ratio NAME A B: estimate, low and high of the time of B against A
ratio() {
	perseus prove --json --pairs="$pairs" --max-load=100 --max-uneven=1000 "$2" "$3" -- "$size" >prove.json 2>prove.err
	case $? in
	0 | 1 | 5) ;;
	*) cat prove.json prove.err && return 1 ;;
	esac
	tr -d '\n' <prove.json | sed -n 's/.*"median": *\([0-9.]*\),.*"low": *\([0-9.]*\),.*"high": *\([0-9.]*\).*/\1 \2 \3/p' >"$1.ratio" && echo >>"$1.ratio"
	grep -q . "$1.ratio"
}

one() {
	cp "$examples/$1/$1.c" .
	build "$1.c" plain "" && build "$1.c" probed "-fplugin=$PLUGIN" || return 1
	# On one core nobody waits for a line: what is recorded is the work alone.
	taskset -c 0 perseus record -q -o "$1-timing" ./probed 0.5 >/dev/null && runs=$1-timing || return 1
	perseus record -q -o "$1-sharing" --purpose=sharing ./probed 0.5 >/dev/null && runs="$runs $1-sharing"
	perseus analyze $runs -o model.yaml >/dev/null || return 1
	perseus plan model.yaml -p platform.yaml --objective=time -o plan.yaml >plan.out
	grep -E '^(sets|saving|no plan|plan)' plan.out | sed "s/^/$1: /"
	grep -q '^sets  *0 thread starts, 0 call triggers' plan.out && { figure "graft.$1" none "" "the plan sets nothing here" && return; }
	perseus codegen plan.yaml -o gen --graft=. --program=probed >codegen.out || { cat codegen.out && return 1; }
	grep '^graft' codegen.out | sed "s/^/$1: /"
	for o in perseus_triggers perseus_platform_linux; do gcc -std=c11 -O2 -c -o gen/$o.o gen/$o.c || return 1; done
	build "$1.c" planned "-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan" gen/perseus_triggers.o gen/perseus_platform_linux.o &&
		cp "$1.c" "$1.orig" && patch -s -p1 <gen/perseus_graft.patch && build "$1.c" grafted -Igen gen/perseus_triggers.o gen/perseus_platform_linux.o || return 1
	ratio planned ./plain ./planned && ratio grafted ./plain ./grafted && ratio both ./planned ./grafted || return 1
	for w in planned grafted; do
		read -r r low high <$w.ratio
		figure "graft.$1.$w" "$r" "" "of the plain build's time, 95 % interval $low to $high"
	done
	read -r a a_low a_high <planned.ratio && read -r b b_low b_high <grafted.ratio && read -r r low high <both.ratio
	figure "graft.$1.apart" "$(awk -v a="$a_low" -v A="$a_high" -v b="$b_low" -v B="$b_high" 'BEGIN { print (a > B) ? a - B : (b > A) ? b - A : 0 }')" 0 "distance of the two intervals; 0: they overlap"
	figure "graft.$1.grafted-to-planned" "$r" "" "interval $low to $high"
	figure "graft.$1.distance" "$(awk -v l="$low" -v h="$high" 'BEGIN { print (l > 1) ? l - 1 : (h < 1) ? 1 - h : 0 }')" 0 "of that interval from 1"
}

perseus calibrate --quick -o platform.yaml >calibrate.out 2>&1 || { cat calibrate.out && exit 3; }
# Shared lines at a typical price, so that the plan does not hang on how quiet the machine is.
sed -E -i '/^ *(store|rmw|atomic|load): /{s/alone_ps: [0-9]+/alone_ps: 2000/; s/(smt|cache|package|remote): [0-9]+/\1: 8600/g}' platform.yaml
for example in pairs imgapp; do
	one $example || echo "figure graft.$example value=absent short  (a step failed)"
done
finish_bench
