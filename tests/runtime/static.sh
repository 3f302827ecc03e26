#!/bin/sh
# SPDX-License-Identifier: MIT
# Static programs: the linker hands over what is interposed elsewhere.
. tests/lib.sh
[ -z "$SAN" ] || { skip "static programs" "needs the plugin and a runtime without a sanitizer"; finish; }
cd "$T" || exit 1

cat >threads.c <<'E'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready) pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	work(1000);
	return arg;
}
static void *holder(void *arg)
{
	pthread_mutex_lock(&m);
	usleep(30000);
	ready = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[3];
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		int s;
		pid_t child = fork();
		if (!child) { work(10); _exit(3); }
		waitpid(child, &s, 0);
		return WEXITSTATUS(s) != 3;
	}
	if (argc > 1 && !strcmp(argv[1], "exec")) { work(10); execl(argv[0], argv[0], (char *)0); return 9; }
	pthread_create(&t[0], NULL, waiter, NULL);
	pthread_create(&t[1], NULL, waiter, NULL);
	usleep(10000);
	pthread_create(&t[2], NULL, holder, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	errno = 0;
	if (pthread_mutex_trylock(&m)) return 8;
	puts("done");
	return 4;
}
E
cat >threads.cc <<'E'
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static long total;
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s = s + n; return s; }
int main()
{
	std::vector<std::thread> all;
	for (int i = 0; i < 3; i++)
		all.emplace_back([i] { for (int k = 0; k < 50; k++) { std::lock_guard<std::mutex> l(m); total += work(1000 * (i + 1)) != 0; } });
	for (auto &t : all) t.join();
	try { if (total != 150) throw 1; } catch (int) { return 2; }
	std::printf("total %ld\n", total);
	return 0;
}
E
cat >calls.c <<'E'
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
int main(void) { return work(100) == 0; }
E
libs=$(perseus flags --libs --static)
perseus() { timeout 60 "$O/bin/perseus" "$@"; }
cc() { gcc -O1 -g -static -fplugin="$PLUGIN" "$@"; }
echo "$libs" >libs
says "-Wl,@[^ ]*libperseus-rt.wrap" "the flags name the list of functions" libs

exits 0 "a static C program links" cc -o c-threads threads.c $libs
exits 0 "a static C++ program links" g++ -O1 -g -static -fplugin="$PLUGIN" -o cc-threads threads.cc $libs
exits 0 "a static position-independent program links" gcc -O1 -g -static-pie -fPIE -fplugin="$PLUGIN" -o pie-threads threads.c $libs
exits 0 "one without threads links" cc -o calls calls.c $libs
for ld in gold lld; do
	if command -v ld.$ld >/dev/null; then exits 0 "ld.$ld links it" cc -fuse-ld=$ld -o $ld-threads threads.c $libs
	else skip "ld.$ld links it" "not installed"; fi
done
timeout 60 ./c-threads >out
it "without a recorder it behaves as ever" test "$? $(cat out)" = "4 done"

for p in c pie gold lld; do
	[ -x $p-threads ] || continue
	exits 4 "$p: recorded, the status is handed on" perseus record -o $p-run ./$p-threads
	silent "creation" "$p: nothing is missing" "$T/err"
	perseus report $p-run >report.$p
	says "^run .* 4 threads" "$p: four threads" report.$p
	says "(waiter|holder) .*start of a thread|[0-9] threads?" "$p: by their start routines" report.$p
	says "wait-[0-9]+ waiter waits .* (for holder|at .*)" "$p: the waits are seen" report.$p
done
exits 0 "C++: recorded" perseus record -o cc-run ./cc-threads
perseus report cc-run >report.cc
says "^run .* 4 threads" "C++: four threads" report.cc
exits 0 "one without threads is recorded" perseus record -q -o calls-run ./calls
exits 0 "fork in a static program" perseus record -q -o fork-run ./c-threads fork
it "... child and parent have a record each" test "$(ls fork-run/*.prec | wc -l)" = 2
it "... both closed, the child by _exit()" sh -c 'for f in "$1"/*.prec; do [ "$(od -An -tu4 -j32 -N4 "$f" | tr -d " ")" = 1 ] || exit 1; done' - fork-run
exits 4 "exec in a static program" perseus record -q -o exec-run ./c-threads exec
it "... leaves two records of one process" test "$(ls exec-run/*.prec | wc -l)" = 2

old=$(echo "$libs" | sed 's/-Wl,@[^ ]*//')
exits 0 "without the list it links, too" cc -o old-threads threads.c $old
exits 4 "... and is recorded" perseus record -o old-run ./old-threads
says "creation" "... but what is missing is said" "$T/err"
says "perseus flags --libs --static" "... and what to do" "$T/err"
finish
