#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a block comes from: the line of the program that asked for it, neither
# one of a library's headers nor the malloc inside a function that hands it on.
. tests/lib.sh
cd "$T" || exit 1
line() { grep -n "$1" "$2" | head -1 | cut -d: -f1; }

[ "$(nproc)" -ge 2 ] || { skip "where blocks come from" "one core only"; finish; }
cat >meet.h <<'E2'
/* Round after round none goes on before both have come so far, however busy the machine is. */
static struct { int round __attribute__((aligned(64))); } at[2];
static void meet(int me)
{
	int round = __atomic_add_fetch(&at[me].round, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&at[!me].round, __ATOMIC_ACQUIRE) < round)
		sched_yield();
}
E2
cat >wrap.c <<'E2'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct kept { long left, right; };
static __attribute__((noinline)) void *get_memory(size_t n)
{
	void *p = calloc(1, n); /* INSIDE */
	if (!p)
		abort();
	return p;
}
#include "meet.h"
static __attribute__((noinline)) long add(long *p, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
	}
	return 0;
}
static void *one(void *s) { return (void *)add(&((struct kept *)s)->left, 0); }
static void *two(void *s) { return (void *)add(&((struct kept *)s)->right, 1); }
int main(void)
{
	struct kept *s = get_memory(sizeof *s); /* ASKED */
	pthread_t t[2];
	pthread_create(&t[0], NULL, one, s);
	pthread_create(&t[1], NULL, two, s);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
E2
cat >vec.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <memory>
#include <thread>
#include <vector>
#include "meet.h"
static void add(long *p, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
	}
}
int main()
{
	std::vector<long> v(2); // ASKED
	std::thread a(add, &v[0], 0), b(add, &v[1], 1);
	a.join();
	b.join();
}
E2
cat >shared.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <memory>
#include <thread>
#include "meet.h"
namespace app { struct Board { int id; struct { long v; } slots[4]; }; }
static void add(std::shared_ptr<app::Board> b, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(&b->slots[me + 1].v, 1, __ATOMIC_RELAXED);
		if (COPIES)
			std::shared_ptr<app::Board>(b).reset();
	}
}
int main()
{
	auto b = std::make_shared<app::Board>(); // ASKED
	std::thread x(add, b, 0), y(add, b, 1);
	x.join();
	y.join();
}
E2
cat >counted.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <cstdio>
#include <thread>
#include "meet.h"
struct Plain { long in, out; };
struct Cell { long in, out; ~Cell() { in = 0; } };
struct One { long only; ~One() { only = 0; } };
struct alignas(32) Wide { long in, out; Wide() : in(1) {} ~Wide() { in = 0; } };
static volatile int some = 6;
static void add(long *p, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
	}
}
static void both(long *p, long *q)
{
	std::thread x(add, p, 0), y(add, q, 1);
	x.join();
	y.join();
}
int main()
{
	Plain *plain = new Plain[(unsigned)some]();
	Cell *cells = new Cell[6]();
	One *ones = new One[(unsigned)some]();
	Wide *wide = new Wide[(unsigned)some]();
	int c = 2, o = 2, w = 4;
	/* Two that lie in one line. */
	while ((unsigned long)&cells[c] % 64 > 48)
		c++;
	while ((unsigned long)&ones[o] % 64 == 56)
		o++;
	both(&plain[2].in, &plain[2].out);
	both(&cells[c].out, &cells[c].in);
	both(&ones[o].only, &ones[o + 1].only);
	both(&wide[w].in, &wide[w].out);
	std::printf("%d %d\n", c, o);
	delete[] wide;
	delete[] ones;
	delete[] cells;
	delete[] plain;
}
E2
for o in -O0 -O2; do
	it "$o: C builds" gcc $o -g -pthread -fplugin="$PLUGIN" -o wrap wrap.c
	it "$o: C++ builds" g++ -std=c++17 $o -g -pthread -fplugin="$PLUGIN" -o vec vec.cc
	for p in wrap.c vec.cc; do
		rm -rf run
		perseus record -q -o run --purpose=sharing "./${p%.*}" >/dev/null 2>err
		perseus conflicts --all run >out 2>&1
		says "allocated at $p:$(line ASKED $p)" "$o: $p: the line that asks for the memory"
		silent "allocated at .*(/usr/|_alloc|allocator)" "$o: $p: and nothing of the library"
	done
	for copies in 0 1; do
		it "$o: std::make_shared builds, copies $copies" g++ -std=c++17 $o -g -DCOPIES=$copies -pthread -fplugin="$PLUGIN" -o shared shared.cc
		rm -rf run
		perseus record -q -o run --purpose=sharing ./shared >/dev/null 2>err
		perseus conflicts --all run >out 2>&1
		says "app::Board, 40 bytes, heap.* allocated at shared.cc:$(line ASKED shared.cc)" "... what it holds is the object"
		says "slots\[[12]\]\.v .*written by" "... with its members"
		# The two copies that the threads end with are some transfers, which matter on no machine.
		if [ $copies = 0 ]; then
			perseus conflicts --all --json run >first 2>&1
			it "... and its counts do not matter" python3 -c '
import json
assert not [f["subject"] for f in json.load(open("first"))["findings"]
            if "use_count" in f["subject"] and (f["significant"] or f["candidate"] or f["perhaps_significant"])]'
		else says 'std::shared_ptr<app::Board>_object\.use_count|use_count .*written by' "... and its counts are those of the library"; fi
	done
	it "$o: arrays of new[] build" g++ -std=c++17 $o -g -pthread -fplugin="$PLUGIN" -o counted counted.cc
	rm -rf run
	perseus record -q -o run --purpose=sharing ./counted >used 2>err
	read -r c o1 <used
	perseus conflicts --all run >out 2>&1
	for e in 'Plain[].in/out' 'Cell[].in/out' 'One[].only' 'Wide[].in/out'; do it "$o: $e" grep -q "^share-[0-9]* false-sharing $(echo "$e" | sed 's/[][]/\\&/g') " out; done
	for e in "\\[2\\]\.in" "\\[$c\\]\.in" "\\[$c\\]\.out" '\[4\]\.in' '\[4\]\.out'; do
		says "$e \(offset [08]\) written by" "$o: an element that is used, the number of all in front of them or not" out
	done
	for e in "\\[$o1\\]\.only" "\\[$((o1 + 1))\\]\.only"; do says "$e .*written by" "$o: one of a word" out; done
	silent "\\[$((o1 + 2))\\]\.only|\[[67]\]\." "$o: and no element that is not used" out
done

# ---- allocators of the program's own; functions of the library that are not inlined ----
cat >pool.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>
#include "meet.h"
struct Tally { long seen, sum; };
struct Ring { long head, tail; };
struct Cell {
	long in, out;
	static void *operator new(size_t n) { return std::aligned_alloc(64, n + 48); }
	static void operator delete(void *p) { std::free(p); }
};
struct Arena {
	void *allocate(size_t n)
	{
		void *p = std::aligned_alloc(64, 64 + n / 64 * 64);
		if (!p)
			abort();
		return p;
	}
};
template <class T> struct Pool {
	typedef T value_type;
	Pool() {}
	template <class U> Pool(const Pool<U> &) {}
	T *allocate(std::size_t n) { return static_cast<T *>(std::aligned_alloc(64, n * sizeof(T))); }
	void deallocate(T *p, std::size_t) { std::free(p); }
	bool operator==(const Pool &) const { return true; }
	bool operator!=(const Pool &) const { return false; }
};
struct Keeper {
	Ring *ring;
	void allocate() { ring = static_cast<Ring *>(std::aligned_alloc(64, 64)); } // KEPT
};
static Arena arena;
static void add(long *p, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
	}
}
static void both(long *p, long *q)
{
	std::thread x(add, p, 0), y(add, q, 1);
	x.join();
	y.join();
}
int main()
{
	Keeper k;
	k.allocate();
	Tally *t = static_cast<Tally *>(arena.allocate(2 * sizeof(Tally))); // ARENA
	std::vector<Ring, Pool<Ring>> v(4); // POOL
	Cell *c = new Cell; // CELL
	both(&t[0].seen, &t[0].sum);
	both(&v[1].head, &v[1].tail);
	both(&c->in, &c->out);
	both(&k.ring->head, &k.ring->tail);
	delete c;
}
E2
cat >release.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <memory>
#include <thread>
#include "meet.h"
struct Node { long v; };
static void take(std::shared_ptr<Node> p, int me)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		std::shared_ptr<Node> q = p; // COPY
		asm volatile("" ::: "memory");
	} // RELEASE
}
int main()
{
	auto n = std::make_shared<Node>();
	std::thread x(take, n, 0), y(take, n, 1);
	x.join();
	y.join();
}
E2
for o in -O0 -O2; do
	it "$o: own allocators build" g++ -std=c++17 $o -g -w -pthread -fplugin="$PLUGIN" -o pool pool.cc
	rm -rf run
	perseus record -q -o run --purpose=sharing ./pool >/dev/null 2>err
	perseus conflicts --all run >out 2>&1
	says "object .*, heap, .*allocated at pool.cc:$(line ARENA pool.cc)" "$o: allocate() of a class: who asks it" out
	says "object .*std::vector<Ring> element, .* allocated at pool.cc:$(line POOL pool.cc)" "... of a container's allocator: the container's declaration" out
	says "object .*, heap, .*allocated at pool.cc:$(line CELL pool.cc)" "... an operator new: the new" out
	says "allocated at pool.cc:$(line KEPT pool.cc)" "... and a function of that name that keeps its block stays the place" out
	it "$o: counts of std::shared_ptr build" g++ -std=c++17 $o -g -w -pthread -fplugin="$PLUGIN" -o release release.cc
	rm -rf run
	perseus record -q -o run --purpose=sharing ./release >/dev/null 2>err
	perseus conflicts --all run >out 2>&1
	says "use_count .*written by +take +release.cc:($(line COPY release.cc)|$(line RELEASE release.cc)) " "... where the program copies and drops them" out
	silent "(atomicity|shared_ptr_base)\.h" "... and not in the library's header" out
done

# ---- containers that one function of the library allocates for ----
cat >several.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>
#include "meet.h"
static std::vector<long> first = {1, 2, 3, 4, 5, 6, 7, 8}; // FIRST
static std::vector<long> second = {1, 2, 3, 4, 5, 6, 7, 8}; // SECOND
/* Two elements of one line. */
static long *in_line(std::vector<long> &v) { return &v[((unsigned long)&v[0] % 64 == 56)]; }
static void one(long *p, int me) { for (int i = 0; i < 200000; i++) { if (i % 1000 == 0) meet(me); p[me]++; } } // ONE
static void two(long *p, int me) { for (int i = 0; i < 200000; i++) { if (i % 1000 == 0) meet(me); p[me] += i; } } // TWO
int main()
{
	std::thread x(one, in_line(first), 0), y(one, in_line(first), 1);
	x.join();
	y.join();
	std::thread p(two, in_line(second), 0), q(two, in_line(second), 1);
	p.join();
	q.join();
}
E2
for o in -O0 -O2; do
	it "$o: two containers build" g++ -std=c++17 $o -g -w -pthread -fplugin="$PLUGIN" -o several several.cc
	rm -rf run
	perseus record -q -o run --purpose=sharing ./several >/dev/null 2>err
	perseus conflicts --all run >out 2>&1
	awk '/^share-/ { object = "" } / object .*allocated at several.cc:/ { sub(/.*allocated at several.cc:/, ""); object = $1 } / written by / && object { sub(/.*several.cc:/, ""); print object, $1 }' out | sort -u >met
	printf '%s %s\n' "$(line FIRST several.cc)" "$(line ONE several.cc)" "$(line SECOND several.cc)" "$(line TWO several.cc)" >want
	it "$o: ... each is an object of its own" sh -c 'diff want met || { cat out; false; }'
done

# ---- static variables of one name in two files, side by side ----
cat >one.c <<'E2'
#define BOTH __attribute__((section("both")))
static volatile long hits BOTH __attribute__((aligned(64))) = 1; /* ONE */
void meet(int me);
void *one(void *arg)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(0);
		hits++;
	}
	return arg;
}
E2
cat >two.c <<'E2'
#include <pthread.h>
#include <sched.h>
#define BOTH __attribute__((section("both")))
#define meet meet_here
#include "meet.h"
#undef meet

static volatile long hits BOTH = 2; /* TWO */
void *one(void *arg);
void meet(int me) { meet_here(me); }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, one, NULL);
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(1);
		hits++;
	}
	pthread_join(t, NULL);
	return 0;
}
E2
it "two files with a static variable of one name build" gcc -O1 -g -pthread -fplugin="$PLUGIN" -o twins one.c two.c
rm -rf run
perseus record -q -o run --purpose=sharing ./twins >/dev/null 2>err
perseus conflicts --all run >out 2>&1
says "hits.*, global, one.c:$(line ONE one.c)" "the one of the first file is told from" out
says "hits.*, global, two.c:$(line TWO two.c)" "... that of the second" out

# ---- a header and an array behind it in one block ----
cat >head.c <<'E2'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "meet.h"
struct item { int key; volatile int val; };
struct list { long cap; struct item it[]; };
struct table { int n, pad; };
struct row { volatile long x, y; };
struct plain { volatile long in, out; };
struct job { volatile long made; };
struct done { volatile long got; };
static struct list *list;
static struct table *table;
static struct row *rows;
static struct plain *plain;
static struct job *job;
static struct done *done;
static char *cut(char *arena, size_t at)
{
	return arena + at;
}
static void *run(void *arg)
{
	int me = arg != NULL;
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		list->it[me + 1].val++;
		if (me)
			rows[1].x++, plain[2].in++, job->made++;
		else
			rows[0].y++, plain[2].out++, done->got++;
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	list = aligned_alloc(64, 128);
	list->cap = 8;
	table = aligned_alloc(64, 128);
	table->n = 3;
	rows = (struct row *)(table + 1);
	plain = aligned_alloc(64, 128);
	plain[0].in = 1;
	char *arena = aligned_alloc(64, 128);
	job = (struct job *)cut(arena, 0);
	done = (struct done *)cut(arena, 16);
	pthread_create(&t, NULL, run, list);
	run(NULL);
	pthread_join(t, NULL);
	return 0;
}
E2
it "blocks with a header build" gcc -O1 -g -w -pthread -fplugin="$PLUGIN" -o head head.c
rm -rf run
perseus record -q -o run --purpose=sharing ./head >/dev/null 2>err
perseus conflicts --all run >out 2>&1
says '^share-[0-9]* false-sharing list\.it\[\]\.val ' "a member without a bound is no second header" out
says ' it\[1\]\.val \(offset 20\) written by' "... its elements are counted where they begin" out
says '^share-[0-9]* false-sharing row\[\]\.x/y ' "an array behind a header is an object of its own" out
says 'object +struct row, 120 bytes, heap, \[0\.\.1\]' "... from its first element on" out
says ' \[0\]\.y \(offset 8\) written by' "... with its fields" out
silent 'cap|\.n |pad \(' "... and no member of a header is fought for" out
says '^share-[0-9]* false-sharing (job\.made\+done\.got|done\.got\+job\.made) ' "two structs cut from one block are two objects" out
says 'object .*struct job, 8 bytes' "... of their own size" out
says '\[2\]\.(in|out) \(offset [08]\) written by' "an array without a header has its elements" out

# ---- thread-local data that its thread lends to another one ----
cat >lent.c <<'E2'
#include <pthread.h>
#include <sched.h>
#include "meet.h"
struct box { volatile long mine, yours; };
static __thread __attribute__((aligned(64))) struct box box;
static __thread __attribute__((aligned(64))) volatile long own[2];
static struct box *lent;
static void *owner(void *arg)
{
	lent = &box;
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(0);
		box.mine++; /* MINE */
		own[0]++;
	}
	return arg;
}
static void *guest(void *arg)
{
	struct box *b = 0;
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(1), b = lent;
		b->yours++; /* YOURS */
		own[1]++;
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, owner, NULL);
	pthread_create(&t[1], NULL, guest, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
E2
it "thread-local data that is lent builds" gcc -O2 -g -w -pthread -fplugin="$PLUGIN" -o lent lent.c
rm -rf run
perseus record -q -o run --purpose=sharing ./lent >/dev/null 2>err
perseus conflicts --all run >out 2>&1
says '^share-[0-9]* false-sharing box\.mine/yours ' "two threads meet in what one has lent" out
says 'object +`box`, struct box, 16 bytes, thread-local of owner, lent.c:[0-9]+$' "... which says whose it is" out
says "mine \(offset 0\) written by +owner +lent.c:$(line MINE lent.c) " "... where its owner uses it by name" out
silent 'own\[|`own`' "... and not in what each has for itself" out

# ---- names of templates: whole for machines, short for people ----
cat >long.cc <<'E2'
#include <pthread.h>
#include <sched.h>
#include <map>
#include <string>
extern "C" {
#include "meet.h"
}
static struct { volatile long a, b; } both __attribute__((aligned(64)));
template <class T, class U> struct worker {
	__attribute__((noinline)) static void touch(volatile long *p) { *p = *p + 1; }
};
typedef worker<std::map<std::string, std::map<std::string, std::string>>, std::map<std::string, std::map<std::string, int>>> w;
struct kept { volatile long in, out; };
static std::map<int, kept> nodes;
static kept *kept_one;
static void *run(void *arg)
{
	long me = (long)arg;
	for (int i = 0; i < 200000; i++) {
		if (i % 1000 == 0)
			meet(me);
		w::touch(me ? &both.a : &both.b);
		if (me)
			kept_one->in = i;
		else
			kept_one->out = i;
	}
	return nullptr;
}
int main()
{
	pthread_t t;
	kept_one = &nodes[1];
	pthread_create(&t, nullptr, run, (void *)1);
	run(nullptr);
	pthread_join(t, nullptr);
}
E2
it "templates of templates build" g++ -std=c++17 -O2 -w -pthread -fplugin="$PLUGIN" -o long long.cc
rm -rf run
perseus record -q -o run --purpose=sharing ./long >/dev/null 2>err
perseus conflicts --all run >out 2>&1
says ' written by +worker<\.\.\.>::touch +' "arguments of templates are left out" out
silent '_ZN' "... and nothing is mangled" out
says '^share-[0-9]* false-sharing std::map_node\.in/out ' "what a node of a map holds has its fields" out
perseus conflicts --all --json run >out 2>&1
says '"function": "worker<std::map<std::__cxx11::basic_string<char>,.*>::touch"' "... in JSON they are there" out

cat >list.cc <<'E2'
#include <pthread.h>
struct msg { long a, b; msg *next; long pad[13]; };
alignas(64) static msg *head;
alignas(64) static pthread_barrier_t side;
alignas(64) static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void push(msg *&list, msg *m)
{
	pthread_mutex_lock(&lock);
	m->next = list;
	list = m;
	pthread_mutex_unlock(&lock);
}
static void *run(void *mine)
{
	for (int i = 0; i < 200000; i++) {
		if (i % 500 == 0)
			pthread_barrier_wait(&side);
		push(head, (msg *)mine);
	}
	return nullptr;
}
int main()
{
	alignas(128) static msg m[2];
	pthread_t t;
	pthread_barrier_init(&side, nullptr, 2);
	pthread_create(&t, nullptr, run, &m[1]);
	run(&m[0]);
	pthread_join(t, nullptr);
}
E2
it "a list whose head is handed over builds" g++ -std=c++17 -O2 -w -pthread -fplugin="$PLUGIN" -o list list.cc
rm -rf run
perseus record -q -o run --purpose=sharing ./list >/dev/null 2>err
perseus conflicts --all run >out 2>&1
says '^share-[0-9]* true-sharing head ' "a pointer is itself" out
silent 'head\.next' "... and has no member of what it points to" out
finish
