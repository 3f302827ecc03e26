#!/bin/sh
# SPDX-License-Identifier: MIT
# Every way to wait: how long, for whom; and none where nothing is waited for.
. tests/lib.sh
. tests/runtime/common
build kinds

# took KIND: the waits of thread 1 of one kind, all entries, in milliseconds
took() {
	grep "^wait thread=1 kind=$1 flags=0 " "$T/rec" | tr ' ' '\n' | sed -n 's/^ticks=//p' |
	  awk -v hz="$(get '^header' hz | head -1)" '{s += $1} END {print int(1000 * s / hz)}'
}
whom() { get "^wait thread=1 kind=$1 flags=0 " other | sort -u | tr '\n' ' ' | sed 's/ $//'; }
waits() { grep -c "^wait thread=1 kind=$1 flags=0 " "$T/rec"; }

# each NAME KIND WHOM: waits when it has to, for whom, and not when it has not
each() {
	record kinds $1
	is "$1: ends as without the runtime" 0 $status
	above "$1: the wait took its time" 25 "$(took $2)"
	is "$1: for whom" "$3" "$(whom $2)"
	record kinds $1 free
	is "$1, free: ends as without the runtime" 0 $status
	is "$1, free: no wait" 0 "$(waits $2)"
}
each mutex 5 0
each cond 6 0
each rwlock 13 0
each spin 17 -1
each sem 12 0
each futex 20 "-1 0"
each pipe 15 0
each full 16 0
each event 15 0
each poll 14 0
each select 14 0
each epoll 14 -1
each socket 15 -1
each accept 22 -1
each child 18 -1
each signal 24 -1
if [ "$SAN" != thread ]; then
	each mtx 5 0
	each cnd 6 0
	each sleep 10 -1
else
	for k in mtx cnd sleep; do skip "$k: ends as without the runtime" "ThreadSanitizer does not know the threads of C11"; done
fi

record kinds barrier
above "barrier: the wait took its time" 25 "$(took 7)"
is "barrier: for the one who came last" 0 "$(whom 7)"
is "... who did not wait" "" "$(get '^wait thread=0 kind=7 flags=0 ' other)"

record kinds nonblock
is "a descriptor that does not block is no wait, however long it is asked" "0 0" "$status $(waits 15)"

record kinds hold
is "a mutex that nobody else wants is counted" 96 "$(get '^wait thread=0 kind=5 flags=1 ' count)"
timed=$(get '^wait thread=0 kind=5 flags=1 ' timed)
it "... the first 8 times and then now and then with how long it is held" test "$timed" -ge 9 -a "$timed" -le 14
above "... which is right" 85 "$(get '^wait thread=0 kind=5 flags=1 ' ticks | awk -v hz="$(get '^header' hz)" '{print int(1000 * $1 / hz)}')"

record kinds many
is "5000 mutexes: all acquisitions are counted" 15000 "$(get '^wait thread=0 kind=5 flags=1 ' count | awk '{s += $1} END {print s}')"
above "... within bounded room" 1 "$(($(grep -c '^wait thread=0 ' "$T/rec") <= 1088))"

record kinds posts
is "200000 posts are counted" 200000 "$(get '^wait thread=0 kind=11 flags=1 ' count)"
is "... and no event is lost for them" 0 "$(get '^header' lost_events)"

record kinds open
is "exit with a thread that waits" 0 $status
above "... whose wait is known to go on" 1 "$(get '^wait thread=1 kind=6 flags=2 ' first)"
record kinds cond
is "a wait that has ended does not go on" 0 "$(get '^wait thread=1 .* flags=2 ' first)"

if [ "$SAN" != thread ]; then
	record kinds storm
	is "locks in handlers change no count of the interrupted ones" "$((300000 + $(sed 's/handled=//' "$T/out")))" \
	  "$(get '^wait thread=0 kind=5 flags=1 ' count | awk '{s += $1} END {print s}')"
else
	skip "locks in handlers change no count of the interrupted ones" "ThreadSanitizer holds signals back"
fi
finish
