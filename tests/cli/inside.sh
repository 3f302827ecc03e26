#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that meet inside of one member: room around an array of numbers parts
# none of them, so each becomes a struct of a line; where structs are in it, these do.
. tests/lib.sh
S=$(pwd)/tests/cli
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "threads inside of one member" "one core only"; finish; exit; }
cp -r "$S/conflicts" src && cp -r src plain && cd src || exit 1
C="gcc -std=gnu11 -O1 -Wall -Wextra -Werror -fplugin=$PLUGIN"

it "the program builds" $C -o ../inside inside.c -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run ./inside"
exits 0 "false sharing is found" perseus conflicts --all ../run
cp "$T/out" ../shown
# What stands under the finding of $1.
section() { awk -v o="$1" '/^share-/ { on = $2 == "false-sharing" && $3 ~ o } /^[0-9]/ { on = 0 } on' ../shown >../part; }
for o in tallies one tally nest; do
	section "^$o[.[]"
	says "^share-[0-9]{6} false-sharing $o[.[]" "$o: it is there" ../part
	says ' pad +\+[1-9][0-9]* bytes.*--patch share-' "... its elements can be moved apart" ../part
	silent '^    no pad' "... and nothing denies it" ../part
	says 'local-copy .*local variable; store it at the end$' "... and a local copy as remedy" ../part
	says '^    ABI +size and offsets of the type change' "... and what a change means" ../part
done
# The twins: other structs of an array meet, or the elements have members.
section '^slots'
says '^    remedy    pad +\+[1-9][0-9]* bytes.*--patch share-' "elements of an array of structs can be moved apart" ../part
says '^    ABI +size and offsets of the type change' "... which changes their size" ../part
section '^deeps'
says 'pad .*--patch share-' "so can structs inside of a struct" ../part
silent 'no pad' "... and nothing denies it" ../part
says '^ +member +bytes +now +then +disputed by$' "what a struct becomes is shown" ../shown
silent '^ .* [0-9]+ +[0-9]+ +[0-9]+ .*\?' "... with names of all threads" ../shown

exits 0 "a patch of all" perseus conflicts --all --patch=../fix.diff ../run
says '^# share-[0-9]+: a struct of a line for each element of `hits` in struct tally' "it says what becomes of the numbers" ../fix.diff
says '^\+.*(tallies|heap)\[1\]\.hits\[id\]\.v\+\+' "... and changes their uses" ../fix.diff
silent 'not changed|^[-+].*pad\[6\]' "... and leaves what is beside them" ../fix.diff
silent 'from ([0-9]+) to \1 bytes' "nothing grows to the size it has" ../fix.diff
it "patch -p1 takes it" patch -p1 -i ../fix.diff
it "the patched program builds" $C -o ../fixed inside.c -pthread
exits 0 "it is recorded" sh -c "cd .. && perseus record -q --purpose=sharing --sharing=precise -o run2 ./fixed"
perseus conflicts --all ../run2 >../shown
silent '^share-[0-9]+ false-sharing' "what was changed is gone" ../shown

# ---- an array without a bound, and one behind a header: the elements may grow where the block does ----
mkdir ../open && cd ../open || exit 1
cat >open.c <<'E'
#include <pthread.h>
#include <stdlib.h>
struct item {
	int key;
	volatile int val;
};
struct list {
	long cap;
	struct item it[];
};
struct head {
	long n;
};
struct row {
	volatile long x;
	volatile long y;
};
struct list *list;
struct row *rows;
pthread_barrier_t meet;
static void *work(void *arg)
{
	int me = arg != NULL;
	for (int i = 0; i < 100000; i++) {
		if (i % 500 == 0)
			pthread_barrier_wait(&meet);
		list->it[1 + me].val++;
		if (me)
			rows[1].x++;
		else
			rows[0].y++;
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	struct head *head;
	pthread_barrier_init(&meet, NULL, 2);
	list = malloc(sizeof(struct list) + ITEMS);
	head = malloc(sizeof(struct head) + ROWS);
	list->cap = head->n = 4;
	rows = (struct row *)(head + 1);
	pthread_create(&t, NULL, work, list);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}
E
mkdir ../shut
sed 's/ITEMS/4 * sizeof(struct item)/; s/ROWS/4 * sizeof(struct row)/' open.c >sized.c
sed 's/ITEMS/32/; s/ROWS/64/' open.c >../shut/shut.c && rm open.c
it "a block that follows its elements builds" $C -o ../open.sized sized.c -pthread
it "... and one that does not" sh -c "cd ../shut && $C -o ../open.shut shut.c -pthread"
perseus record -q --purpose=sharing --sharing=precise -o ../sized ../open.sized
perseus record -q --purpose=sharing --sharing=precise -o ../shut.run ../open.shut
exits 0 "elements of a block that follows them are changed" perseus conflicts --all --patch=../open.diff ../sized
says 'keeps threads out' "... by room in them" ../open.diff
silent 'not changed|^[-+].*long (cap|n);' "... and the headers stay" ../open.diff
it "... patch -p1 takes it" patch -s -p1 -i ../open.diff
it "... and it builds" $C -o ../open.apart sized.c -pthread
perseus record -q --purpose=sharing --sharing=precise -o ../apart ../open.apart
perseus conflicts --all ../apart >../shown
silent '^share-[0-9]+ false-sharing (list|row)' "... and the threads are apart" ../shown
cd ../shut || exit 1
exits 6 "of one that does not, nothing is" perseus conflicts --all --patch=../shut.diff ../shut.run
says 'not changed: the allocation takes no size from the elements of `it`' "... for that reason" "$T/err"
says 'not changed: the allocation at .*shut.c:[0-9]+ takes no size from `struct row`' "... also behind a header" "$T/err"

# ---- a mutex that two threads share beside another one's counter; a source of another program beside it ----
mkdir ../beside && cd ../beside || exit 1
cat >beside.c <<'E'
#include <pthread.h>
#include <stdlib.h>
static struct {
	pthread_mutex_t m;
	long n;
	volatile long hot;
} q __attribute__((aligned(64)));
struct two {
	volatile long a;
	volatile long b;
};
static struct two *two;
static pthread_barrier_t meet;
static void *work(void *arg)
{
	long me = (long)arg;
	for (int i = 0; i < 60000; i++) {
		if (i % 500 == 0)
			pthread_barrier_wait(&meet);
		if (me == 2) {
			q.hot++;
			two->b++;
		} else {
			pthread_mutex_lock(&q.m);
			q.n++;
			pthread_mutex_unlock(&q.m);
			if (me)
				two->a++;
		}
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	two = malloc(sizeof(struct two) + 8);
	pthread_barrier_init(&meet, NULL, 3);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E
it "a program with a mutex builds" $C -o ../beside.bin beside.c -pthread
printf '#include <stdlib.h>\nstruct two { long a, b; };\nstruct two *other(void) { struct two *x = malloc(64); return x; }\n' >other.c
perseus record -q --purpose=sharing --sharing=precise -o ../beside.run ../beside.bin
exits 0 "it can be changed" perseus conflicts --all --patch=../beside.diff ../beside.run
says '_Alignas\(64\) volatile long hot;' "what lies beside the mutex moves" ../beside.diff
says 'struct two grows from 16 to 72 bytes' "another program's type of that name does not matter" ../beside.diff
silent 'not found as a struct|not changed: .*other\.c' "... and neither is a reason not to" ../beside.diff
it "... patch -p1 takes it" patch -s -p1 -i ../beside.diff
it "... and it builds" $C -o ../beside.apart beside.c -pthread
patch -s -R -p1 -i ../beside.diff
sed -i 's/^struct two {.*/#include "two.h"/' other.c
printf 'struct two {\n\tvolatile long a;\n\tvolatile long b;\n};\n' >two.h
sed -i '/^struct two {/,/^};/d; s/^static struct two \*two;/#include "two.h"\n&/' beside.c
it "with the type in a header it builds" $C -o ../beside.bin beside.c -pthread
rm -rf ../beside.run
perseus record -q --purpose=sharing --sharing=precise -o ../beside.run ../beside.bin
perseus conflicts --all --patch=../beside.diff ../beside.run
says 'not changed: the allocation at other.c:3 takes no size from `two`' "what another source allocates of that type matters" ../beside.diff
finish
