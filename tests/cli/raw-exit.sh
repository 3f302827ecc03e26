#!/bin/sh
# SPDX-License-Identifier: MIT
# A program whose last thread ends by a system call of its own, as one in a
# strict sandbox must: a thread of the runtime does not keep its process alive.
. tests/lib.sh
[ -z "$SAN" ] || { skip "raw exits" "needs the plugin and a runtime without a sanitizer"; finish; }
cd "$T" || exit 1
cat >raw.c <<'E2'
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile long a[2];
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *run(void *p) { for (int i = 0; i < 100000; i++) a[(long)p]++; work(1000); return p; }
int main(int argc, char **argv)
{
	pthread_t t;

	work(argc);
	if (strchr(argv[1], 't')) { pthread_create(&t, 0, run, 0); run((void *)1); pthread_join(t, 0); }
	if (strchr(argv[1], 's')) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	syscall(SYS_exit, strchr(argv[1], 'n') ? 0 : 3);
}
E2
gcc -O2 -pthread -fplugin="$PLUGIN" raw.c -o raw

# ends STATUS OPTION HOW: long before the 60 seconds are over
ends() {
	timeout 60 perseus record -q "$2" -o run ./raw "$3" >out 2>&1
	got=$?
	rm -rf run
	[ $got = "$1" ] || { echo "status $got"; cat out; return 1; }
}
for how in x s t ts; do
	it "$how: while it waits for a signal" ends 125 --start-signal=USR2 $how
	it "$how: before the delay is over" ends 125 --delay=1000 $how
	it "$how: in a sharing run, with its own status" ends 3 --purpose=sharing $how
done
it "nothing is added to a status of 0" ends 0 --purpose=sharing tn
finish
