#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus waits: queues, locks, pipes and OpenMP regions with known answers,
# and the same programs without a need to wait.
. tests/lib.sh
cp tests/cli/waits/* tests/runtime/asleep.h "$T"
cd "$T" || exit 1
line() { grep -n "$1" "$2" | head -1 | cut -d: -f1; }

# ---- a queue: conditions, then semaphores, then a pipe -----------------------------
it "a program with a queue builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o queue queue.c

it "a slow maker: recorded" perseus record -q -o cond ./queue c 1000 0
exits 0 "a significant wait is a finding" perseus waits cond
says '^wait-[0-9]{6} condition queue\.filled   [0-9.]+ % of thread time$' "the condition is named by its field"
says "^    waits     user in take_cond\(\) queue\.c:$(line 'pthread_cond_wait(&queue.filled' queue.c)$" "who waits, and where"
says "^    for       maker in put_cond\(\) queue\.c:$(line 'pthread_cond_signal(&queue.filled' queue.c): " "who signalled, and where"
says '^queue-[0-9]{6} producer-consumer queue\.lock   maker to user$' "the two are a queue under its mutex"
says '^    consumer  user, 1 thread, waits .* at queue\.filled$' "the consumer waits for items"
says '^    slower    maker: ' "the maker is the slow side"
silent '^    slower    user' "... and not the user"
cp out first
exits 1 "a gate does not let it pass" perseus waits --fail-on=1 cond
exits 0 "... one that allows for more does" perseus waits --fail-on=99% cond
exits 2 "a limit is a percentage" perseus waits --fail-on=-1 cond
exits 0 "json" perseus waits --json cond
it "it holds the same" python3 forms.py first out
it "the same again" perseus record -q -o again ./queue c 1000 0
perseus waits again >again.out
it "a wait has the same id in every run" test "$(sed -n 's/ condition queue.filled.*//p' first)" = "$(sed -n 's/ condition queue.filled.*//p' again.out)"
it "... and so has a queue" test "$(sed -n 's/ producer-consumer queue.lock.*//p' first)" = "$(sed -n 's/ producer-consumer queue.lock.*//p' again.out)"

it "a slow user: recorded" perseus record -q -o slow ./queue c 0 3000
exits 0 "the other way round" perseus waits slow
says '^    producer  maker, 1 thread, waits .* at queue\.space$' "the producer waits for space"
says '^    slower    user: ' "the user is the slow side"

for h in s p; do
	it "by $h: recorded" perseus record -q -o by-$h ./queue $h 1000 0
	exits 0 "by $h: a finding" perseus waits by-$h
	says '^queue-[0-9]{6} producer-consumer .*   maker to user$' "by $h: maker and user are a queue"
	says '^    slower    maker: ' "by $h: the maker is slow"
done
says "^wait-[0-9]{6} read pipe [0-9]+   " "a pipe is named by its kind and number"
says "^    for       maker: " "... and who wrote is known"

# ---- a lock ------------------------------------------------------------------------
it "a program with a lock builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o lock lock.c
it "both want it: recorded" perseus record -q -o lock-1 ./lock
exits 0 "a held mutex is a finding" perseus waits lock-1
says '^wait-[0-9]{6} mutex door   ' "the mutex has its name"
says "^    waits     quick in quick\(\) lock\.c:$(line 'quick takes it' lock.c)$" "who waits"
says "^    held by   slow in with_door\(\) lock\.c:$(line 'slow takes it' lock.c): .*; holds it for [0-9.]+ ms \([0-9]+ of 40 holds timed\)$" "who holds it, where, how long at a time"
says "^    taken     100 times there, " "how often it was taken at all"
silent 'producer-consumer' "a lock is no queue"
it "two places in one program: it builds" g++ -O1 -g -pthread -fplugin="$PLUGIN" -o places places.cc
exits 0 "... and is recorded" perseus record -q -o places-1 ./places
calls=$(cat out)
exits 0 "... and shown" perseus waits --all places-1
it "each function is a wait of its own" test "$(grep -cE '^    waits     visitor in (first|second)\(\) places\.cc' out)" = 2
sed -n '/visitor in first()/,/^[wq]/p' out >first.out
says "^    waits     visitor in first\(\) places\.cc:$(line '// first takes it' places.cc)$" "the first at its line" first.out
says "^    taken     20 times there, " "... and what it did" first.out
sed -n '/visitor in second()/,/^[wq]/p' out >second.out
says "^    waits     visitor in second\(\) places\.cc:$(line '// second takes it' places.cc)$" "the second at its line" second.out
says "^    taken     40 times there, " "... and what it did" second.out
says "^    held by   keeper in keep\(\) places\.cc:$(line '// keep takes it' places.cc): .* of $calls holds timed\)$" "what the keeper held counts once" second.out
it "without optimisation: it builds" g++ -O0 -g -pthread -fplugin="$PLUGIN" -o places places.cc
it "... and is recorded" perseus record -q -o places-0 ./places
exits 0 "... and shown" perseus waits --all places-0
says "^    (waits     visitor|or       ) in first\(\) places\.cc:$(line '// first takes it' places.cc)" "both places are named" out
says "^    (waits     visitor|or       ) in second\(\) places\.cc:$(line '// second takes it' places.cc)" "... as ones" out
says "^    or        in (first|second)\(\) places.cc:[0-9]+: not distinguished$" "... that are not distinguished" out
it "each has its own: recorded" perseus record -q -o lock-2 ./lock apart
exits 0 "locks that nobody waits for are none" perseus waits lock-2
silent '^wait-[0-9]{6} mutex ' "... and are not listed"
exits 0 "--all shows them" perseus waits --all lock-2
says '^    mutex     own\[1\] +100 times by 1 thread, 0 waits, held for ' "... with how often each was taken"

# ---- the lock that limits the program ------------------------------------------------------
it "a program that jams at a lock builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o jam jam.c
perseus record -o jam-1 ./jam >/dev/null 2>out
says '^waits     ledger \(jam\.c:[0-9]+\) is the bottleneck: held (about )?[0-9]+ % of the run, [^;]* x [0-9,]+( \(by [0-9,]+ timed holds\))?;$' "the summary begins with the lock"
exits 0 "it is shown" perseus waits jam-1
it "the lock stands first, wherever its waits do" sh -c "sed -n 2p out | grep -q '^ledger (jam.c:$(line 'all wait here' jam.c)) is the bottleneck: held '"
says '^  user \(3 threads\) wait for it [0-9]+ % of their time \[wait-[0-9]{6}\]$' "who waits for it, and how much"
says '^queue-[0-9]{6} producer-consumer lock   maker to user$' "the queue has its direction"
says '^    first     user itself waits [0-9]+ % of its time at ledger \(wait-[0-9]{6}\): look there first$' "the slow side's own lock is where to look"
silent 'more threads for it' "more threads at the lock are no advice"
it "the same without the lock" perseus record -q -o jam-2 ./jam free
exits 0 "its waits" perseus waits jam-2
silent 'is the bottleneck' "without a lock nothing is the bottleneck"
exits 0 "json" perseus waits --json jam-2
says '"bottleneck": null' "... which says so"

it "a chain of two locks builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o chain chain.c
it "it is recorded" perseus record -q -o chain-1 ./chain
exits 0 "its waits" perseus waits chain-1
says '^second \(chain\.c:[0-9]+\) is the bottleneck: ' "the lock at the end of the chain is the bottleneck"
silent '^first .* is the bottleneck' "... and not the one that is held while it is waited for"
exits 0 "json of them" perseus waits --json chain-1
it "who comes last to a barrier does not wait there" python3 -c 'import json, sys
n = sum(w["count"] for w in json.load(open(sys.argv[1]))["waits"] if w["kind"] == "barrier")
sys.exit(n != 2 * 40)' out

it "holds of known length build" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o holds holds.c
it "they are recorded" sh -c "perseus record -q -o holds-1 ./holds >longest"
exits 0 "their times" perseus waits --json holds-1
it "recursive ones, nested ones and those with a wait inside are held as long as they sleep" python3 holds.py out longest

it "a herd at a condition builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o herd herd.c
it "... is recorded" perseus record -q -o herd-1 ./herd
exits 0 "... is told" perseus waits herd-1
says '^    with      the time to get door back, which is held for [0-9.]+ ms' "what is for the mutex is said to be in the time"

it "a lock that is held for long seldom builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o seldom seldom.c
it "... is recorded" perseus record -q -o seldom-1 ./seldom
exits 0 "... is told" perseus waits --json seldom-1
it "its mean is that of all holds, and not of those that were timed" python3 seldom.py out seldom-1/manifest.yaml

# ---- OpenMP ------------------------------------------------------------------------
if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c -o has-omp - 2>/dev/null; then
	it "an OpenMP program builds" gcc -O1 -g -fopenmp -fplugin="$PLUGIN" -o team team.c
	it "much in between: recorded" perseus record -q -o team-1 ./team 60000
	exits 0 "threads without work are a finding" perseus waits team-1
	says '^wait-[0-9]{6} team region in main   ' "the region is named by its function"
	says '^    for       main: ' "they wait for the one that opens the next"
	it "nothing in between: recorded" perseus record -q -o team-2 ./team 0
	it "they idle as long as there is nothing to do, and hardly if there is" python3 team.py team-1 team-2
	it "reductions by tasks build" gcc -O1 -fopenmp -fplugin="$PLUGIN" -o reduce reduce.c
	it "the library finds them in what the region is handed" perseus record -q -o reduce-1 ./reduce
else
	for i in 1 2 3 4 5 6 7 8 9; do skip "an OpenMP program" "gcc has no libgomp"; done
fi

# ---- C++ ---------------------------------------------------------------------------
it "a C++ program builds" g++ -std=c++20 -O1 -g -pthread -fplugin="$PLUGIN" -o std std.cc
it "it is recorded" perseus record -q -o std-run ./std
exits 0 "std::atomic and std::condition_variable wait" perseus waits std-run
says '^wait-[0-9]{6} futex flag   ' "the atomic is a futex with its name"
says '^wait-[0-9]{6} condition bell   ' "the condition has its name"
says "^    for       main in main\(\) std\.cc:$(line bell.notify std.cc): " "who rang"
silent '__platform_wait|/usr/' "places are the program's own"
perseus report --threads std-run >report.out
silent '~_State_impl$' "a thread whose body calls nothing has a name" report.out
says 'main\(\)::<lambda\(\)>' "... that of its body" report.out

it "a program with a stream and a latch builds" g++ -std=c++20 -O1 -g -pthread -fplugin="$PLUGIN" -o once once.cc
it "it is recorded, too" perseus record -q -o once-1 ./once
exits 0 "who gives and who takes" perseus waits once-1
says '^queue-[0-9]{6} producer-consumer items   giver to taker$' "who only releases is the producer"
says '^    producer  giver, 1 thread, never waits$' "the latch is no part of the queue"
silent 'guess' "and that is no guess"
silent '__waiter_pool|_S_for' "what the library has for many things is no name"
says '1 queue\.$' "and a barrier is no queue"

# ---- a wait that is jumped out of, and one that lasts ------------------------------------
it "a program that jumps builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o jump jump.c
it "it is recorded" perseus record -q -o jump-run ./jump out
exits 0 "what a handler jumped out of is no wait to the end" perseus waits jump-run
silent '^    waits     sleeper' "... though it never returned"
it "the same without a jump" perseus record -q -o stay-run ./jump
exits 0 "a thread that waits while the program ends" perseus waits stay-run
says '^    waits     sleeper in nap\(\) jump\.c:' "... waits until then"

it "a program that hangs builds" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o hang hang.c
it "it is recorded" perseus record -q -o hang-run ./hang
exits 0 "two threads that hold each other's lock" perseus waits hang-run
says '^wait-[0-9]{6} mutex fork_b ' "the first waits for the second lock"
says '^    still     1 of them waits at the end of the record$' "... for ever"
says "^    held by   right in right\(\) hang\.c:$(line 'right holds' hang.c): " "... which the second holds"
says "^    held by   left in left\(\) hang\.c:$(line 'left holds' hang.c): " "and the other way round"

# ---- what can go wrong -----------------------------------------------------------------
exits 2 "two runs are one too many" perseus waits cond slow
exits 2 "an unknown option" perseus waits --some
exits 4 "no such run" perseus waits nowhere
exits 0 "help" perseus waits --help
finish
