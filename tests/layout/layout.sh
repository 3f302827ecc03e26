#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorded program has the plain program's memory layout: variables, heap
# blocks in sequence, thread-local variables and stacks of threads lie where
# they lie in the plain program, asleep and recorded.
. tests/lib.sh
[ -z "$SAN" ] || { skip "memory layout" "needs the plugin and a runtime without a sanitizer"; finish; }
S=$PWD/tests/layout/programs
cd "$T" || exit 1
FLAGS=$(perseus flags)
LIBS=$(perseus flags --libs --static)

# build NAME CC ARGS...: plain-NAME and probed-NAME
build() {
	name=$1 cc=$2
	shift 2
	# shellcheck disable=SC2086
	$cc -w -pthread "$@" -o "plain-$name" && $cc -w -pthread $FLAGS "$@" -o "probed-$name"
}

# asleep NAME: as plain
asleep() { ./plain-$1 >plain.out && ./probed-$1 >asleep.out && diff plain.out asleep.out; }

# same NAME: asleep, in a timing and in a sharing run as plain
same() {
	./plain-$1 >plain.out || return 1
	./probed-$1 >asleep.out || return 1
	perseus record -q -o timing.run ./probed-$1 >timing.out 2>&1 || return 1
	perseus record -q --purpose=sharing -o sharing.run ./probed-$1 >sharing.out 2>&1 || return 1
	rm -rf timing.run sharing.run
	for how in asleep timing sharing; do
		diff plain.out $how.out >differs || { echo "$how: $(head -20 differs)"; return 1; }
	done
}

# places NAME TEXT CC ARGS...
places() {
	name=$1 text=$2
	shift 2
	build "$name" "$@" >build.out 2>&1 || { not_ok "$text" "$(head -5 build.out)"; return; }
	it "$text" same "$name"
}

P="$S/place.c $S/vars.c"
gcc -O2 -shared -fPIC "$S/lib.c" -o libplain.so
# shellcheck disable=SC2086
gcc -O2 -shared -fPIC $FLAGS "$S/lib.c" -o libprobed.so
# shellcheck disable=SC2086
{
	places o0 "C, -O0" gcc -O0 $P
	places o2 "C, -O2 -g" gcc -O2 -g $P
	places o3 "C, -O3, functions and data in sections of their own, collected" \
		gcc -O3 -ffunction-sections -fdata-sections -Wl,--gc-sections $P
	places nopie "C, not position independent" gcc -O2 -no-pie -fno-pie $P
	places now "C, bound at start" gcc -O2 -Wl,-z,now $P
	places lto "C, link-time optimisation" gcc -O2 -flto $P
	places common "C, -fcommon" gcc -O2 -fcommon $P
	command -v ld.gold >/dev/null && places gold "C, linked by gold" gcc -O2 -fuse-ld=gold $P
	places lib "C, with a plain library" gcc -O2 -DLIB $P ./libplain.so
	places liball "C, with a library that has probes" gcc -O2 -DLIB $P ./libprobed.so
	places cc0 "C++, -O0" g++ -O0 "$S/objects.cc"
	places cc2 "C++, -O2 -g" g++ -O2 -g "$S/objects.cc"
	export OMP_SCHEDULE=static
	places team "an OpenMP team" gcc -O2 -fopenmp "$S/team.c"
	for o in -static-pie -static; do
		build static gcc -O2 $o $P
		it "C, $o, without the runtime" asleep static
	done
}
# shellcheck disable=SC2086
gcc -w -O2 -pthread -static $FLAGS $P -o probed-static $LIBS
it "C, static, linked with the runtime" same static
# shellcheck disable=SC2086
gcc -r -w -pthread $FLAGS $P -o both.o && gcc -pthread both.o -o probed-partial &&
	gcc -r -w -pthread $P -o both.o && gcc -pthread both.o -o plain-partial
it "C, linked in two steps" same partial

# The twins: what is planted is seen.
# shellcheck disable=SC2086
gcc -w -O2 -pthread $FLAGS -DPLANT=1 $P -o probed-o2
seen() {
	same o2 >seen.out && { echo "nothing is seen"; return 1; }
	grep -q "^$1: " seen.out && grep -q "$2" seen.out
}
it "a variable more is seen" seen asleep second_int
# shellcheck disable=SC2086
gcc -w -O2 -pthread $FLAGS -DPLANT=2 $P -o probed-o2
it "a block that only the recorded program allocates is seen" seen timing malloc
finish
