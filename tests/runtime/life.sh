#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes and objects come and go.
. tests/lib.sh
. tests/runtime/common
. tests/soon.inc
build calls objects waits
n=10000
[ -z "$SAN" ] || n=600

record calls forks
is "a program that forks ends well" 0 $status
is "parent and child have a record each" 2 "$(grep -c '^header' "$T/rec")"
is "both are closed, the child by _exit()" "1 1" "$(get '^header' state | tr '\n' ' ' | sed 's/ $//')"
is "the parent counts its own calls" 5 "$("$T/readrec" "$run_dir/$(get '^event .* kind=8 ' value >/dev/null; get '^header.* pid=[0-9]+ ' pid | sort -n | head -1).0.prec" | sed -n 's/^total thread=0 site=1 calls=//p')"
is "the child starts from zero" "5 7" "$(get '^total thread=0 site=1 ' calls | sort | tr '\n' ' ' | sed 's/ $//')"
is "a call open round the fork is finished by the parent alone" 1 "$(grep -c '^call thread=0 site=3 .*timed=1 ' "$T/rec")"
is "the child's thread hangs from the child's main" "0 4" "$(get '^thread index=1 ' creator) $(get '^thread index=1 ' site)"

record calls exec
is "exec leaves two records of one pid" "0 1" "$(get '^header' epoch | tr '\n' ' ' | sed 's/ $//')"
is "the first ends as closed" "1 1" "$(get '^header' state | tr '\n' ' ' | sed 's/ $//')"

rm -rf "$run_dir"
mkdir "$run_dir"
mkfifo "$T/pipe"
if [ -n "$SAN" ]; then PERSEUS_RUN_DIR=$run_dir "$T/calls" killed >"$T/pipe" &
else PERSEUS_RUN_DIR=$run_dir LD_PRELOAD=$RUNTIME "$T/calls" killed >"$T/pipe" & fi
victim=$!
read -r _ <"$T/pipe"
looping() { read_records; [ "$(calls 0 1)" -ge 1 ]; }
soon looping
kill -9 $victim
wait $victim 2>/dev/null
read_records
is "after SIGKILL the record says running" 0 "$(get '^header' state)"
is "... and has every call up to then" 1000 "$(calls 0 0)"
is "... of every thread" 1000 "$(calls 1 0)"
above "... and of the loop it was killed in" 1 "$(calls 0 1)"
is "... and nothing damaged" 0 "$(grep -c ^damage "$T/rec")"

record calls churn $n
is "$n short threads end well" 0 $status
is "all are recorded" $((n + 1)) "$(get '^header' threads)"
is "none is lost" "0 0" "$(get '^header' lost_threads) $(get '^header' lost_calls)"
is "each made its hundred calls" "$n" "$(grep -c '^call thread=[1-9][0-9]* site=0 .* count=100 ' "$T/rec")"
above "blocks are used again" 1 "$(( $(du -k "$run_dir"/*.prec | cut -f1) < 200000 ))"

if [ -z "$SAN" ]; then
	record calls ticked 2000
	is "2000 short threads under a timer of 50 us end well" 0 $status
	is "... and are that many threads, whatever their first probe is" 2001 "$(get '^header' threads)"
	is "... each of which has its end" 2000 "$(grep -c '^event .* kind=3 ' "$T/rec")"
fi
record calls masks
is "signal masks of threads and of their creator are as without the runtime" 0 $status

gcc $cflags -fPIC -shared -o "$T/plug.so" tests/runtime/plug.c
if [ -z "$SAN" ]; then
	record objects reload "$T/plug.so" 2000
	is "an object loaded 2000 times is called 70 times each" 140000 \
	  "$(for s in $(get '^unit id=5555 ' first_call); do echo $((s + 2)); done | sort -n >"$T/sites"
	     awk 'NR == FNR {want[$1]; next} /^call thread=0 /{split($3, s, "="); split($6, c, "="); if (s[2] in want) n += c[2]} END {print n}' "$T/sites" "$T/rec")"
	is "each load is an epoch of its module" 1999 "$(get '^module .*plug.so' epoch | tail -1)"
	is "all loads use one piece of the block" 1 "$(get '^unit id=5555 ' base | sort -u | wc -l)"
else
	skip "an object loaded 2000 times is called 70 times each" "the built-in runtime is not visible to it"
fi

record objects misfits
is "objects that do not fit stay dormant" 0 $status
is "another version and too many sites are named" "2 2" "$(get '^unit id=(bad|b16|0) ' flags | tr '\n' ' ' | sed 's/ $//')"
is "... as the reason" 4 "$(get '^header' reason)"
is "the object that fits is recorded once" "1 1" "$(grep -c '^unit id=11 ' "$T/rec") $(calls 0 1)"
is "so is one of two million sites" 1 "$(get '^total thread=0 site=2000001 ' calls)"

record objects race
is "eight threads attach 64 objects: 64 units" 64 "$(get '^header' units)"
is "... with 64 different places" 64 "$(get '^unit ' base | sort -u | wc -l)"

rm -rf "$run_dir"
mkdir "$run_dir"
if [ -z "$SAN" ]; then
	recorded /bin/true
	is "a program without probes leaves no file" 0 "$(ls "$run_dir" | wc -l)"
	LD_PRELOAD=$RUNTIME "$T/calls" many
	is "without a run directory nothing is recorded" "0 0" "$? $(ls "$run_dir" | wc -l)"
	LD_PRELOAD=$O/lib/libperseus-nop.so PERSEUS_RUN_DIR=$run_dir "$T/calls" threads
	is "the empty runtime records nothing" "0 0" "$? $(ls "$run_dir" | wc -l)"
fi
"$T/calls" recursion
is "without any runtime the probes are dormant" 0 $?

record waits waits
is "a program that waits ends as without the runtime" 0 $status
is "two mutex waits at most, one at least" 1 "$(grep -c '^event thread=1 kind=5 ' "$T/rec" | awk '{print ($1 >= 1 && $1 <= 2)}')"
is "the wait for the mutex took most of 40 ms" 1 "$(get '^event thread=1 kind=5 ' ticks | head -1 | awk -v hz="$(get '^header' hz)" '{print ($1 > hz / 50)}')"
is "one wait for the lock, one for the semaphore" "1 1" "$(grep -c '^event thread=1 kind=13 ' "$T/rec") $(grep -c '^event thread=1 kind=12 ' "$T/rec")"
above "a wait for the condition" 1 "$(grep -c '^event thread=1 kind=6 ' "$T/rec")"
is "its signal and the post" "1 1" "$(grep -c '^event thread=0 kind=9 ' "$T/rec") $(grep -c '^event thread=0 kind=11 ' "$T/rec")"
is "both threads see the same three rounds of the barrier" "0 1 2 0 1 2" "$(get '^event .* kind=7 ' value | tr '\n' ' ' | sed 's/ $//')"
is "each round has one serial thread" 3 "$(grep '^event .* kind=7 ' "$T/rec" | grep -vc 'other=-1 ')"
is "sleeps are seen" 5 "$(grep -c '^event thread=0 kind=10 ' "$T/rec")"

record waits free
is "locks that are free leave no event" "0 0" "$status $(grep -c '^event ' "$T/rec")"
record waits results
is "interposed functions return what libc returns" 0 $status
if [ "$SAN" != thread ]; then
	record waits c11
	is "C11 threads are threads" "0 2" "$status $(get '^header' threads)"
else
	skip "C11 threads are threads" "ThreadSanitizer does not know thrd_create()"
fi
finish
