#!/bin/sh
# SPDX-License-Identifier: MIT
# Members of a base class: no order is proposed that C++ cannot have.  And numbers
# have no members, whatever the loops round them read.
. tests/lib.sh
cd "$T" || exit 1
cat >base.cc <<'E'
#include <pthread.h>
#include <sched.h>
struct Node {
	volatile long in = 0;
	virtual ~Node() = default;
};
struct Router BASE {
	OWN
	volatile long out = 0;
	long names[4] = {};
};
static pthread_barrier_t gate;
alignas(64) static Router router;
static Router *r;
static struct alignas(64) { volatile long n; } round_of[2];
/* Neither is a round ahead, on one processor either. */
static void together(int me)
{
	long n = round_of[me].n + 1;

	for (round_of[me].n = n; round_of[!me].n < n;)
		sched_yield();
}
static void *take(void *p)
{
	pthread_barrier_wait(&gate);
	for (long i = 0; i < 1000000; i++) {
		if (i % 1000 == 0)
			together(0);
		r->in = r->in + 1;
	}
	return p;
}
static void give()
{
	pthread_barrier_wait(&gate);
	for (long i = 0; i < 1000000; i++) {
		if (i % 1000 == 0)
			together(1);
		r->out = r->out + 1;
	}
}
int main()
{
	pthread_t h;
	r = &router;
	pthread_barrier_init(&gate, nullptr, 2);
	pthread_create(&h, nullptr, take, nullptr);
	give();
	pthread_join(h, nullptr);
	return r->in == 0;
}
E
for base in ": Node" ""; do
	own=
	[ -n "$base" ] || own="volatile long in = 0;"
	it "Router$base builds" g++ -O2 -g "-DBASE=$base" "-DOWN=$own" -fplugin="$PLUGIN" -o base base.cc -pthread
	rm -rf run
	it "it is recorded" perseus record -q -o run --purpose=sharing --sharing=precise ./base
	perseus conflicts --all run >out 2>&1
	says "^share-[0-9]{6} false-sharing router\.in/out" "Router$base: the two members are found"
	says "^    remedy    pad " "... which can be padded"
	[ -z "$base" ] || silent "^    reorder   Router as .*(out|names).*in[: ,]" "... and in, of the base class, stays in front"
done
finish
