#!/bin/sh
# SPDX-License-Identifier: MIT
# Unusual ways to double, to leave, to limit oneself: the program behaves as
# without the runtime, the record is whole or says what it lacks.
. tests/lib.sh
. tests/runtime/common
. tests/soon.inc
build life2

recorded() {
	if [ -n "$SAN" ]; then PERSEUS_RUN_DIR=$run_dir timeout 100 "$@"
	else PERSEUS_RUN_DIR=$run_dir timeout 100 env LD_PRELOAD="$RUNTIME" "$@"; fi
}

counts() { echo "$(get "^total thread=$1 site=$2 " calls | sort -n | tr '\n' ' ' | sed 's/ $//')"; }
states() { echo "$(get '^header' state | sort | tr '\n' ' ' | sed 's/ $//')"; }

for how in clone_fork syscall_clone syscall_fork; do
	record life2 $how
	is "$how: both end well" 0 $status
	is "$how: a record each, both closed" "1 1" "$(states)"
	is "$how: the child's calls are its own" "5 7" "$(counts 0 1)"
	is "$how: so is its thread" "0 1 3" "$(get '^thread index=1 ' creator) $(grep -c '^thread index=1 ' "$T/rec") $(calls 1 2)"
done

record life2 clone_vm
is "a child that shares the memory ends well" 0 $status
is "... and leaves one whole record" "1 10" "$(states) $(calls 0 0)"
[ "$SAN" = thread ] || record life2 vforked
[ "$SAN" = thread ] || is "a child of vfork() that calls _exit() does not close its parent's record" "0 1 10" "$status $(states) $(calls 0 0)"
record life2 spawn
is "posix_spawn(): parent and child are recorded" "0 1 1 20 6" "$status $(states) $(counts 0 0) $(counts 0 1)"
if [ "$SAN" != thread ]; then
	record life2 exec_thread
	is "exec in another thread than the first" "0 1 1 10 6 4" "$status $(states) $(counts 0 0) $(counts 0 1) $(counts 1 2)"
else
	skip "exec in another thread than the first" "ThreadSanitizer"
fi

record life2 daemonise "$T/done"
closed() { read_records; [ "$(states)" = "1 1 1" ]; }
soon test -e "$T/done"
soon closed
is "a daemon outlives its parents" "0 yes" "$status $([ -e "$T/done" ] && echo yes)"
is "... all three records are closed" "1 1 1" "$(states)"
is "... the daemon's is whole, though it has closed all descriptors" "3000 301 0" \
  "$(counts 0 1) $(get '^header.* threads=301' threads) $(get '^header.* threads=301' lost_threads)"

record life2 quick
is "quick_exit() closes the record" "0 1 10" "$status $(states) $(calls 0 0)"
record life2 aborts
is "abort() leaves it open, with all calls" "134 0 10" "$status $(states) $(calls 0 0)"
record life2 leftovers
is "exit handlers are recorded" "0 1 9" "$status $(states) $(counts 0 1)"
is "probes of an object that was detached are dormant" "1" "$(counts 0 4)"

if [ "$SAN" != thread ]; then # which calls handlers later, on the stack where it is then
	record life2 altstack
	is "handlers on a stack of their own end well" 0 $status
	is "... and all calls are counted" "$(sed 's/[AC]=//g' "$T/out")" "$(calls 0 0) $(calls 0 2)"
fi

for how in files_gone few_files; do
	record life2 $how
	is "$how: the record grows without its descriptor" "0 1 0 0" \
	  "$status $(states) $(get '^header' lost_threads) $(get '^header' lost_calls)"
	is "$how: all threads are there" 201 "$(get '^header' threads)"
done

if [ "$(id -u)" = 0 ] && [ -z "$SAN" ]; then
	mkdir "$T/root"
	record life2 in_chroot "$T/root"
	is "chroot: the record grows through its descriptor" "0 1 0 201" "$status $(states) $(get '^header' lost_threads) $(get '^header' threads)"
	record life2 in_chroot_closed "$T/root"
	is "chroot without descriptors: the program runs on" "0 1" "$status $(states)"
	above "... and says that it found no room" 1 "$(get '^header' reason)"
	chmod 755 "$T"
	record life2 other_user
	is "a process that gives up its user is recorded on" "0 1 0 201" "$status $(states) $(get '^header' lost_threads) $(get '^header' threads)"
	# A start that nobody can wait for: user 64999 may have one thread.
	rm -rf "$run_dir"
	mkdir -m 777 "$run_dir"
	{ printf 'CTRL\000\000\000\000'; head -c 4088 /dev/zero; } >"$run_dir/control"
	mkfifo "$T/hold" && exec 9<>"$T/hold"
	PERSEUS_RUN_DIR=$run_dir PERSEUS_START=1 timeout 60 setpriv --reuid=64999 --regid=64999 --clear-groups \
		prlimit --nproc=1 env LD_PRELOAD="$RUNTIME" "$T/life2" lingers <"$T/hold" >"$T/out" 2>"$T/err" 9>&- &
	waiting=$!
	unwaited() { read_records; [ "$(get '^header' reason)" = 8 ]; }
	soon unwaited
	exec 9>&-
	wait $waiting
	is "no thread to wait for the start: the program runs, asleep" 0 $?
	is "... and it was said" 8 "$(get '^header' reason)"
	is "... leaving no record of nothing" 0 "$(ls "$run_dir"/*.prec 2>/dev/null | wc -l)"
else
	skip "chroot and other users" "needs root, and no sanitizer"
fi

if [ -z "$SAN" ]; then
	record life2 little_space
	is "RLIMIT_AS set by the program holds for the program, and threads fit in as ever" 0 $status
	is "... all recorded" "9 1 10" "$(get '^header' threads) $(states) $(calls 0 0)"
	"$T/life2" little_space
	is "... as without the runtime" 0 $?
	record life2 exec_space
	is "the next program begins with the limit as it was set" "0 262144" "$status $(cat "$T/out")"
	(ulimit -v 400000; recorded "$T/life2" print_space >"$T/out")
	is "a limit that was there before is as it was" "409600000 409600000" "$(cat "$T/out")"
	mkdir "$run_dir.v"
	run_dir=$run_dir.v
	(ulimit -v 400000; recorded "$T/life2" fills); status=$?
	read_records
	is "... and the program is recorded under it" "0 31 0" "$status $(get '^header' threads) $(get '^header' lost_threads)"
	run_dir=$T/run

	libs=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "__thread char tls$i[1000] __attribute__((tls_model(\"initial-exec\"))); char *f$i(void) { return tls$i; }" |
			gcc -x c -fPIC -shared -o "$T/libtls$i.so" -
		libs="$libs:$T/libtls$i.so"
	done
	rm -rf "$run_dir"
	mkdir "$run_dir"
	PERSEUS_RUN_DIR=$run_dir LD_PRELOAD=$RUNTIME$libs "$T/life2" fills
	status=$?
	read_records
	is "many preloaded libraries with static TLS leave room" "0 31" "$status $(get '^header' threads)"

	if command -v valgrind >/dev/null; then
		for how in fills clone_fork; do
			rm -rf "$run_dir"
			mkdir "$run_dir"
			PERSEUS_RUN_DIR=$run_dir LD_PRELOAD=$RUNTIME valgrind -q --error-exitcode=9 "$T/life2" $how >"$T/out" 2>"$T/err"
			status=$?
			read_records
			is "valgrind: $how has no error and is recorded" "0 1" "$status $(get '^header' state | sort -u)"
		done
	else
		skip "valgrind: no error" "not installed"
	fi
fi
finish
