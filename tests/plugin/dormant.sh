#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory probes sleep as no-ops and are woken by a sharing run: in every kind of
# link, whatever the linker drops, and not where the system forbids it.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime

# woken PROGRAM ARGUMENT...: no-ops that became jumps; accesses of the run in $T/accesses
woken() {
	FAKE_SHARING=1 FAKE_OUT=$T/sums LD_PRELOAD=$FAKE "$@" >"$T/out" 2>"$T/err" || return 1
	awk '$1 == "access" { n += $4 } END { print n + 0 }' "$T/sums" >"$T/accesses"
	awk '$1 == "woken" { print $2 }' "$T/sums"
}

cat >"$T/one.cc" <<'X'
template <typename T> struct box { T v; __attribute__((noinline)) void add(T n) { v += n; } };
extern box<long> all;
__attribute__((noinline)) void one(void) { for (int i = 0; i < 10; i++) all.add(i); }
__attribute__((noinline)) void never(void) { all.v = 99; }
X
cat >"$T/two.cc" <<'X'
template <typename T> struct box { T v; __attribute__((noinline)) void add(T n) { v += n; } };
box<long> all;
void one(void);
__attribute__((noinline, cold)) static void rare(void) { all.add(-1); }
int main(int argc, char **) { for (int i = 0; i < 10; i++) all.add(i); one(); if (argc > 7) rare(); return all.v == 90 ? 0 : 1; }
X
# both COMDAT copies of add() list their probes; one is dropped by the linker, with its table
for link in "" "-no-pie" "-Wl,--gc-sections" "-fuse-ld=gold -Wl,--gc-sections" "-fuse-ld=gold -Wl,--icf=all" "-fuse-ld=lld -Wl,--gc-sections" \
  "-fuse-ld=lld -Wl,--icf=all" "-flto" "-freorder-blocks-and-partition" "-O0" "-Os" "-shared"; do
	case $link in
	*gold*) command -v ld.gold >/dev/null || { skip "$link" "no ld.gold here"; continue; } ;;
	*lld*) command -v ld.lld >/dev/null || { skip "$link" "no ld.lld here"; continue; } ;;
	-shared)
		probed g++ -O2 -fPIC -shared "$T/one.cc" -o "$T/libone.so"
		probed g++ -O2 "$T/two.cc" -o "$T/p" "$T/libone.so" -Wl,-rpath,"$T" ;;
	*) probed g++ -O2 -ffunction-sections $link "$T/one.cc" "$T/two.cc" -o "$T/p" ;;
	esac
	it "${link:-plain}: the program links and runs dormant" "$T/p"
	n=$(woken "$T/p")
	it "${link:-plain}: its probes wake up" test "${n:-0}" -ge 1
	it "${link:-plain}: each of the 20 additions is seen once" sh -c "test \$(awk '\$1 == \"access\" && \$5 == 2 { n += \$4 } END { print n + 0 }' '$T/sums') = 20"
done
probed g++ -O2 -ffunction-sections "$T/one.cc" "$T/two.cc" -o "$T/all"
probed g++ -O2 -ffunction-sections -Wl,--gc-sections "$T/one.cc" "$T/two.cc" -o "$T/gc"
it "section garbage collection drops functions with probes as ever" sh -c "nm -C '$T/all' | grep -q ' never()' && ! nm -C '$T/gc' | grep -q ' never()'"
it "... and their tables" test "$(woken "$T/gc")" -lt "$(woken "$T/all")"
probed g++ -O2 -c "$T/one.cc" -o "$T/1.o" && probed g++ -O2 -c "$T/two.cc" -o "$T/2.o"
it "ld -r" sh -c "ld -r '$T/1.o' '$T/2.o' -o '$T/r.o' && g++ '$T/r.o' -o '$T/r'"
it "... keeps them" test "$(woken "$T/r")" -ge 2
cp "$T/all" "$T/stripped" && strip "$T/stripped"
it "so does strip" test "$(woken "$T/stripped")" = "$(woken "$T/all")"

# In place there is a no-op and nothing else: no register, no test.
cat >"$T/leaf.c" <<'X'
int add(const int *a, const int *b) { return *a + *b; }
X
probed gcc -O2 -fplugin-arg-perseus-probe=memory -c "$T/leaf.c" -o "$T/leaf.o"
objdump -d --no-show-raw-insn "$T/leaf.o" | awk '/<add>:/ { on = 1; next } on { $1 = ""; print } / ret/ { exit }' >"$T/leaf"
it "in place a probe is a no-op" test "$(tr -s ' ' <"$T/leaf" | sed 's/^ //' | awk '{ print $1 }' | tr '\n' ' ')" = "nopl nopl mov add ret "

# The real runtime.
cat >"$T/t.c" <<'X'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
struct { long a, b; } pair;
__attribute__((noinline)) void bump(long *p) { (*p)++; }
static void *work(void *p) { for (int i = 0; i < 20000; i++) bump(p); return NULL; }
int main(int argc, char **argv)
{
	pthread_t t[2];
	if (argc > 1 && argv[1][0] == 'm') {
		if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0)) return 77;
		execv(argv[0], (char *[]){ argv[0], NULL });
	}
	if (argc > 1 && argv[1][0] == 'f' && !fork())
		argc = 1;
	pthread_create(&t[0], NULL, work, &pair.a);
	pthread_create(&t[1], NULL, work, &pair.b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	while (argc > 1 && wait(NULL) > 0)
		;
	return pair.a == 20000 && pair.b == 20000 ? 0 : 1;
}
X
probed gcc -O2 "$T/t.c" -o "$T/t" -lpthread
exits 0 "a sharing run wakes a program with threads" perseus record -o "$T/run" --purpose=sharing -- "$T/t"
exits 0 "a fork child's probes are awake as well" perseus record -o "$T/fork" --purpose=sharing -- "$T/t" f
exits 0 "a timing run ends well" perseus record -o "$T/timing" -- "$T/t"
cat >"$T/code.c" <<'X'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) int load(int *p) { return *p; }
static void *work(void *p) { return p; }
int main(int argc, char **argv) { int v = 0; const unsigned char *c = (const unsigned char *)load; char line[256]; FILE *f; pthread_t t; load(&v);
	(void)argv; if (argc > 1 && !pthread_create(&t, NULL, work, NULL)) pthread_join(t, NULL);
	printf("%s", memcmp(c, "\x0f\x1f", 2) || (c[3] != 0xe9 && c[3] != 0xe8) ? "odd" : c[2] == 0x84 ? "asleep" : c[2] ? "odd" : "awake");
	f = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), f)) if (strstr(line, "rwx")) printf(" writable"); puts(""); return 0; }
X
probed gcc -O2 -fcf-protection=none "$T/code.c" -o "$T/code"
exits 0 "without the runtime code stays as it was linked" "$T/code"
says '^asleep$' "... the probes asleep"
exits 0 "a timing run" perseus record -o "$T/c1" -- "$T/code"
says '^asleep$' "... writes no code"
exits 0 "a sharing run of one thread" perseus record -o "$T/c2" --purpose=sharing -- "$T/code"
says '^asleep writable$' "... leaves memory probes asleep: there is nobody to share with"
exits 0 "a sharing run with a second thread" perseus record -o "$T/c3" --purpose=sharing -- "$T/code" 2
says '^awake$' "... wakes them, and leaves none writable"
exits 0 "an adaptive one" perseus record -o "$T/c9" --purpose=sharing --sharing=adaptive -- "$T/code" 2
says '^awake writable$' "... wakes them, and will put them to sleep again"
exits 0 "a trace of a sharing run of one thread" perseus record -o "$T/c4" --purpose=sharing --trace -- "$T/code"
says '^awake$' "... shows all accesses"

# A system that refuses: the program runs on, calls are recorded, and it is said.
gcc -O2 tests/plugin/deny-code.c -o "$T/deny"
perseus record -o "$T/deny-run" --purpose=sharing -- "$T/deny" "$T/t" >"$T/out" 2>"$T/err"
status=$?
if [ $status = 77 ]; then skip "writable code refused by seccomp" "no seccomp filter here"
else
	it "writable code refused by seccomp: the program ends as ever" test $status = 0
	says 'memory probes of process .* stayed dormant' "... and the record says why"
fi
"$T/t" m
status=$?
if [ $status = 77 ]; then skip "writable code refused by PR_SET_MDWE" "the kernel does not know it"
else
	perseus record -o "$T/mdwe" --purpose=sharing -- "$T/t" m >"$T/out" 2>"$T/err"
	it "writable code refused by PR_SET_MDWE: the program ends as ever" test $? = 0
	says 'memory probes of process .* stayed dormant' "... and the record says why"
fi

# Loaded while other threads run, unloaded, loaded again.
cat >"$T/plug.c" <<'X'
long seen;
__attribute__((noinline)) void touch(long *p) { __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
long use(void) { for (int i = 0; i < 1000; i++) touch(&seen); return seen; }
X
cat >"$T/host.c" <<'X'
#include <dlfcn.h>
#include <pthread.h>
static volatile int stop;
static long busy;
__attribute__((noinline)) static void spin(long *p) { (*p)++; }
static void *run(void *a) { (void)a; while (!stop) spin(&busy); return 0; }
int main(int argc, char **argv)
{
	pthread_t t[2];
	int bad = argc != 2;
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 20; i++) {
		void *h = dlopen(argv[1], RTLD_NOW);
		long (*use)(void) = h ? (long (*)(void))dlsym(h, "use") : 0;
		bad |= !use || use() != 1000;
		bad |= !h || dlclose(h);
	}
	stop = 1;
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return bad;
}
X
probed gcc -O2 -fPIC -shared "$T/plug.c" -o "$T/plug.so"
probed gcc -O2 "$T/host.c" -o "$T/host" -ldl -lpthread
exits 0 "a library is loaded and unloaded twenty times while threads run" perseus record -o "$T/plug" --purpose=sharing -- "$T/host" "$T/plug.so"
n=$(woken "$T/host" "$T/plug.so")
it "... and woken each time" sh -c "test \$(grep -c '^access [0-9a-f]* 0 1000 ' '$T/sums') = 20"
finish
