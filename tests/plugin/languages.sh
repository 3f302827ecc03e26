#!/bin/sh
# SPDX-License-Identifier: MIT
# Every construct of the languages, at every level and kind of linking, does the
# same with the probes live in the real runtime (a timing and a sharing run) as
# it does in the plain build; and what carries no probe is listed.
# Without FULL=1 each program meets some of the combinations.
. tests/lib.sh
. tests/plugin/helpers
lang=$here/programs/lang
STATIC_RT="-Wl,-u,__prs_attach,-u,__prs_detach $O/lib/libperseus-rt.a -lpthread"
gcc -w -O1 "$here/programs/loader.c" -o "$T/loader" || exit 1

# head_of WORD FILE: what the program asks for in its first lines
head_of() { sed -n "1,8s,^\(/\*\|//\) $1: \([^*]*\).*,\2,p" "$2"; }

# compiler FILE
compiler_of() { case $1 in *.cc) echo g++ ;; *) echo gcc ;; esac; }

# result COMMAND...: output and exit status of a run
result() { (cd "$T" && timeout 60 "$@" 2>&1 </dev/null; echo "status $?"); }

# awake PURPOSE COMMAND...: the same under the runtime; the record is in $T/run
awake() {
	rm -rf "$T/run" && mkdir "$T/run"
	purpose=$1
	shift
	(cd "$T" && export PERSEUS_RUN_DIR="$T/run" PERSEUS_PURPOSE=$purpose PERSEUS_AWAKE=1 ASAN_OPTIONS=verify_asan_link_order=0
	LD_PRELOAD=$RUNTIME timeout 120 "$@" 2>&1 </dev/null
	echo "status $?")
}

# recorded: did the last run leave a record with call sites?
recorded() {
	for f in "$T"/run/*.0.prec; do
		[ "$(od -An -tu4 -j120 -N4 "$f" 2>/dev/null | tr -d ' ')" -gt 0 ] 2>/dev/null && return 0
	done
	return 1
}

# build MODE OUT COMPILER FLAGS SOURCE [PLUGIN FLAGS]
build() {
	b_mode=$1 b_out=$2 b_cc=$3 b_flags=$4 b_src=$5 b_rt= b_more=
	shift 5
	[ $# = 0 ] || b_rt=$STATIC_RT
	case $b_mode in
	pie) b_more="-fPIE -pie" ;;
	nopie) b_more=-no-pie ;;
	lto) b_more="-flto -flto-partition=one" ;;
	ltomany) b_more="-flto -flto-partition=max" ;;
	static) b_more="-static $b_rt" ;;
	spie) b_more="-static-pie $b_rt" ;;
	so | dl) b_more="-fPIC -shared -Wl,-z,undefs" ;;
	esac
	$b_cc -w "$@" $b_flags "$b_src" $b_more -o "$b_out" -lm -lpthread
}

# command_of MODE FILE: how it is run
command_of() {
	case $1 in
	dl) echo "$T/loader $2" ;;
	so) echo "$2.start" ;;
	*) echo "$2" ;;
	esac
}

# start_of MODE FILE: a library that is there from the start needs a program
start_of() {
	[ "$1" != so ] || gcc -w -O1 $here/programs/loader.c -o "$2.start" -Wl,--no-as-needed "$2"
}

# same SOURCE LEVEL MODE [FLAGS]: plain against asleep, timing and sharing
same() {
	src=$1 level=$2 mode=$3 more=$4
	cc=$(compiler_of "$src")
	std=$(head_of std "$src")
	flags="$level ${std:+-std=$std} $(head_of flags "$src") $more"
	text="${src##*/} $level $mode${more:+ $more}"
	rm -f "$T"/*.gcda # of another level: a complaint, with the file's name in it
	build "$mode" "$T/plain" $cc "$flags" "$src" 2>"$T/log" && start_of "$mode" "$T/plain" ||
		{ skip "$text" "the plain compiler does not build it"; return 1; }
	build "$mode" "$T/probed" $cc "$flags" "$src" -fchecking=2 -fplugin="$PLUGIN" 2>"$T/log" && start_of "$mode" "$T/probed" ||
		{ not_ok "$text" "$(head -5 "$T/log")"; return 1; }
	result $(command_of "$mode" "$T/plain") >"$T/want"
	result $(command_of "$mode" "$T/probed") >"$T/asleep"
	awake timing $(command_of "$mode" "$T/probed") >"$T/timing"
	recorded || echo "no record" >>"$T/timing"
	awake sharing $(command_of "$mode" "$T/probed") >"$T/sharing"
	recorded || echo "no record" >>"$T/sharing"
	for how in asleep timing sharing; do
		cmp -s "$T/want" "$T/$how" && continue
		not_ok "$text" "$how: $(diff "$T/want" "$T/$how" | head -8)"
		return 1
	done
	ok "$text"
}

# listed SOURCE LEVEL: each callee that the plain compiler's assembler text calls
# has a C or an S line, and so have the reasons that the program names
listed() {
	src=$1 level=$2
	cc=$(compiler_of "$src")
	std=$(head_of std "$src")
	flags="$level ${std:+-std=$std} $(head_of flags "$src")"
	$cc -w $flags -S "$src" -o "$T/plain.s"
	probed $cc $flags -c "$src" -o "$T/probed.o" || return
	sites "$T/probed.o" >"$T/table"
	called "$T/plain.s" >"$T/called"
	awk -F'\t' '$1 == "C" { print $6 } $1 == "S" && $2 == "call" { print $5 }' "$T/table" | sed -E 's/([CD])[1-5](I[^ ]*)?E/\12\2E/' | sort -u >"$T/have"
	comm -23 "$T/called" "$T/have" >"$T/missing"
	# What the optimiser made direct keeps the name it has in the source: an indirect call.
	direct=$(wc -l <"$T/missing")
	[ "$level" = -O0 ] || [ "$direct" -gt "$(awk -F'\t' '$1 == "C" && $6 == "indirect"' "$T/table" | wc -l)" ] || : >"$T/missing"
	it "${src##*/} $level: every callee has a site or a reason" sh -c "sed 's/^/no line for /' '$T/missing'; ! test -s '$T/missing'"
	for why in $(head_of skips "$src"); do
		it "${src##*/} $level: $why is listed" grep -q "^S	call	$why	" "$T/table"
	done
}

# called FILE.s: what it calls, also by a jump, or calls through a pointer;
# not what the code generator itself refers to (names of the implementation)
called() {
	sed -nE 's/^\t(notrack )?callq?\t//p; s/^\tjmpq?\t([A-Za-z_])/\1/p' "$1" | sed -E '
		s/^\*([A-Za-z_][A-Za-z0-9_.$]*)@GOTPCREL\(%rip\)$/\1/; s/^\*.*/indirect/; s/@PLT$//; s/\.(constprop|isra|cold|lto_priv)(\.[0-9]+)*//g; s/^_ZGV[a-zA-Z0-9]*_//; s/([CD])[1-5](I[^ ]*)?E/\12\2E/
		/^\.L/d; /^%/d' | grep -Ev '^(_Unwind_Resume|__stack_chk_fail|__tls_get_addr|__cxa_throw_bad_array_new_length|__cxa_thread_atexit|_ZTHN?.*|_ZTWN?.*)$' |
		grep -Evx '__(u?div|u?mod|mul|float|fix|add|sub|neg|cmp|ashl|ashr|lshr)[a-z]+[0-9]' | sort -u
}

# OPTIONS is met by PROGRAMS.  Each line: programs (without folder), level, options.
options() {
	sed -n 's/^# option //p' "$0"
}
# option tails.c signals.c contexts.c passing.c | -mno-red-zone
# option tails.c contexts.c passing.c exceptions.cc | -fcf-protection=full
# option contexts.c signals.c exceptions.cc | -fstack-protector-all
# option contexts.c signals.c objects.cc | -fstack-clash-protection
# option tails.c passing.c | -fsplit-stack
# option tails.c contexts.c | -pg
# option tails.c exceptions.cc | -finstrument-functions
# option tails.c passing.c objects.cc | -fsanitize=address
# option passing.c workers.cc | -fsanitize=thread
# option tails.c passing.c objects.cc | -fsanitize=undefined
# option tails.c process.c workers.cc | -fno-plt
# option passing.c tails.c | -mcmodel=medium
# option tails.c signals.c exceptions.cc | -freorder-blocks-and-partition -fno-guess-branch-probability
# option signals.c passing.c objects.cc exceptions.cc | -fnon-call-exceptions -fasynchronous-unwind-tables
# option contexts.c process.c | -fexceptions
# option objects.cc tails.c | -ffunction-sections -fdata-sections -Wl,--gc-sections
# option objects.cc tails.c | -ffunction-sections -fuse-ld=gold -Wl,--icf=all
# option contexts.c passing.c | -mstackrealign -fno-omit-frame-pointer
# option passing.c signals.c | -fno-tree-ter -fno-shrink-wrap
# option passing.c vectors.c | -march=x86-64-v3
# option tails.c exceptions.cc | -fno-semantic-interposition -fvisibility=hidden
# option contexts.c passing.c | -masm=intel
# option knr.c tails.c | -fno-asynchronous-unwind-tables -fno-unwind-tables
# option objects.cc workers.cc | -fkeep-inline-functions -fno-weak
# option tails.c passing.c | -ftrapv -fwrapv -fno-builtin
# option signals.c exceptions.cc | -fprofile-arcs -ftest-coverage -fprofile-update=atomic
# option tails.c contexts.c | -fsel-sched-pipelining -fselective-scheduling2 -funroll-all-loops
# option passing.c contexts.c | -mpreferred-stack-boundary=5
# option objects.cc coroutines.cc | -fno-inline -fipa-pta -fdevirtualize-at-ltrans
# option vectors.c parallel.c | -fvect-cost-model=unlimited -mprefer-vector-width=512

# profiled SOURCE LEVEL: -fprofile-generate, and what is built with the profile; counted by
# single instructions, since a handler that counts in the middle of a count spoils the profile, and
# corrected, since a jump out of a handler does, too
profiled() {
	cc=$(compiler_of "$1")
	rm -rf "$T/profile" && mkdir -p "$T/profile"
	for step in generate use; do
		$cc -w $2 $(head_of flags "$1") "$1" -o "$T/plain" -lm -lpthread 2>/dev/null
		probed $cc $2 $(head_of flags "$1") -fprofile-$step -fprofile-update=atomic -fprofile-correction -fprofile-dir="$T/profile" "$1" -o "$T/probed" -lm -lpthread 2>"$T/log" ||
			{ not_ok "${1##*/} $2 -fprofile-$step" "$(head -5 "$T/log")"; continue; }
		result "$T/plain" >"$T/want"
		awake timing "$T/probed" >"$T/timing"
		recorded || echo "no record" >>"$T/timing"
		it "${1##*/} $2 -fprofile-$step" cmp "$T/want" "$T/timing"
		rm -f "$T"/*.gcda
	done
}

# A source that has no name.
standard_input() {
	gcc -w -O2 -x c - -o "$T/plain" <$lang/tails.c
	probed gcc -O2 -x c - -o "$T/probed" <$lang/tails.c
	result "$T/plain" >"$T/want"
	awake timing "$T/probed" >"$T/timing"
	recorded && cmp "$T/want" "$T/timing"
}

programs=$(ls $lang/*.c $lang/*.cc)
if [ -n "$FULL" ]; then
	for p in $programs; do
		for mode in pie nopie so dl lto ltomany static spie; do
			for level in ${LEVELS:--O0 -Og -O1 -O2 -O3 -Os}; do same "$p" $level $mode; done
		done
		for level in -O0 -O2 -O3; do listed "$p" $level; done
	done
	options | while IFS='|' read -r these with; do
		for p in $these; do for level in -O0 -O2 -O3; do echo "$lang/$p $level pie $with"; done; done
	done >"$T/list"
	for p in tails.c signals.c exceptions.cc; do for level in -O0 -O2; do profiled $lang/$p $level; done; done
else
	# Each program at two points of the table, so that all columns are met.
	set -- "-O2 pie" "-O0 so" "-O3 lto" "-O1 dl" "-Os nopie" "-O2 static" "-Og pie" "-O2 ltomany" "-O3 spie"
	for p in $programs; do
		same "$p" ${1% *} ${1#* }
		listed "$p" -O0
		shift_to_end=$1
		shift
		set -- "$@" "$shift_to_end"
	done
	# Every second of the options, with C programs: they compile fast.
	options | awk -F'|' 'NR % 2 { split($1, p, " "); for (i = 1; p[i] ~ /\.cc/; i++) ; if (p[i]) print dir "/" p[i], NR % 3 ? "-O2" : "-O0", "pie", $2 }' dir="$lang" >"$T/list"
	profiled $lang/tails.c -O2
fi
while read -r p level mode with; do same "$p" "$level" "$mode" "$with" </dev/null; done <"$T/list"
it "a source from standard input" standard_input
finish
