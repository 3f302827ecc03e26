#!/bin/sh
# SPDX-License-Identifier: MIT
# A sharing run that could not look where the threads worked says so: a library or
# objects without probes, probes for calls only.
. tests/lib.sh
[ -z "$SAN" ] || { skip "code without probes" "the plugin is not built with a sanitizer"; finish; }
cd "$T" || exit 1
probed() { gcc -O2 -g -pthread -fplugin="$PLUGIN" "$@"; }

cat >main.c <<'E2'
#include <pthread.h>
void run(int id);
void *start(void *arg);
#ifdef OWN
void *start(void *arg) { run(arg != NULL); return NULL; }
#endif
int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argc;
	if (pthread_create(&a, NULL, start, NULL) || pthread_create(&b, NULL, start, argv))
		return 3;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
E2
cat >plug.c <<'E2'
#include <stddef.h>
static struct { volatile long a, b; } stats;
__attribute__((noinline)) void run(int id)
{
	for (long i = 0; i < 20000000; i++)
		if (id)
			stats.a++;
		else
			stats.b++;
}
void *start(void *arg);
#ifndef LIBRARY
void *start(void *arg) { run(arg != NULL); return NULL; }
#endif
E2
# judge PROGRAM
judge() {
	perseus record --purpose=sharing -o "run-$1" "./$1" >"$1.record" 2>&1 || { not_ok "$1 is recorded" "$(cat "$1.record")"; return; }
	perseus conflicts "run-$1" >out 2>&1
}
gcc -O2 -g -fPIC -shared -DLIBRARY plug.c -o libplug.so
probed -DOWN main.c -o library -L. -lplug -Wl,-rpath,"$T" || exit 99
judge library
says 'Inconclusive:.*threads spent [0-9]+ % of their time in run \(libplug\.so\), which has no probes: sharing there is not seen' \
  "a library without probes is named, with the time spent there" out
gcc -O2 -g -c plug.c -o plug.o && probed main.c plug.o -o object -pthread || exit 99
judge object
says 'Inconclusive:.*threads spent [0-9]+ % of their time in start \(object\), which has no probes' \
  "threads that run objects without probes are named" out
probed -fplugin-arg-perseus-probe=calls main.c plug.c -o calls || exit 99
judge calls
says 'Inconclusive:.*no object of the program has memory probes' "probes for calls alone see no sharing" out
says '^trust     none: ' "... and nothing is to be trusted" calls.record
says 'no object has memory probes: build with what perseus flags prints' "... with the next step" calls.record

# Functions whose accesses are all inlined: from a header, from members.
cat >meter.h <<'E2'
class meter {
	alignas(128) long sent = 0;
	alignas(128) long received = 0;

    public:
	void send() { __atomic_fetch_add(&sent, 1, __ATOMIC_RELAXED); }
	void receive() { __atomic_fetch_add(&received, 1, __ATOMIC_RELAXED); }
	long sum() const { return sent + received; }
};
E2
cat >inlined.cc <<'E2'
#include "meter.h"
#include <cstdio>
#include <thread>
meter m;
void sender() { for (long i = 0; i < 20000000; i++) m.send(); }
void receiver() { for (long i = 0; i < 20000000; i++) m.receive(); }
int main()
{
	std::thread a(sender), b(receiver);
	a.join();
	b.join();
	std::printf("%ld\n", m.sum());
}
E2
g++ -std=c++17 -O2 -g -pthread -fplugin="$PLUGIN" inlined.cc -o inlined || exit 99
judge inlined
silent 'no probes|no object' "functions that hold inlined accesses only: nothing of that" out

# The twin: everything has probes.
probed -fPIC -shared -DLIBRARY plug.c -o libplug.so
probed -DOWN main.c -o whole -L. -lplug -Wl,-rpath,"$T" || exit 99
judge whole
silent 'no probes|no object' "a program and library with probes: nothing of that" out
silent '^trust     none' "... and trust" whole.record
# ---- tasks that the program makes by itself --------------------------------------------------
cat >task.c <<'E2'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static struct { volatile long a, b; } stats;
static int run(void *arg)
{
	for (long i = 0; i < 100000; i++)
		stats.a++;
	(void)arg;
	return 0;
}
int main(void)
{
	char *stack = malloc(1 << 18);
#ifdef FORK
	int pid = fork();
	if (!pid)
		_exit(run(0));
#else
	int pid = clone(run, stack + (1 << 18), CLONE_VM | SIGCHLD, 0);
#endif
	for (long i = 0; i < 100000; i++)
		stats.b++;
	waitpid(pid, 0, 0);
	free(stack);
	return 0;
}
E2
for twin in CLONE FORK; do
	it "$twin: a program that makes a task builds" probed -D$twin -o task-$twin task.c
	it "$twin: ... and is recorded" perseus record -q --purpose=sharing -o task-$twin.run ./task-$twin
	perseus conflicts task-$twin.run >out 2>&1
	cp out said-$twin
done
says 'Inconclusive: .*the task made by clone\(\) at task\.c:23 cannot be told from its maker' "tasks by clone() are said not to be seen" said-CLONE
silent 'told from its maker' "... and a child process is none" said-FORK

# ---- globals that the linker moves -----------------------------------------------------------
# The linker's name stands where lld and mold write it, whatever linked the test.
for l in LLD mold ld; do
	cat >name.c <<-END
		const char name[] __attribute__((used, section(".comment,\"\",@progbits#"))) = "Linker: $l 14.0";
	END
	it "a program linked by $l builds" probed -DFORK -o by-$l task.c name.c
	it "... and is recorded" perseus record -q --purpose=sharing -o by-$l.run ./by-$l
	perseus conflicts by-$l.run >by 2>&1
	case $l in
	ld) silent 'was linked by' "ld moves none" by ;;
	*) says "Blind spots: .*by-$l was linked by (lld|mold): its globals may lie on other lines" "$l moves globals, which is said" by ;;
	esac
done
finish
