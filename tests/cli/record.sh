#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus record: status and output of the program, where runs go, what the
# links say, wrappers, fork, exec, signals, SIGKILL half-way.
. tests/lib.sh
. tests/soon.inc
cd "$T" || exit 1
cc() { gcc -O1 -g -fplugin="$PLUGIN" -pthread "$@"; }

cat >work.c <<'E'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static void *thread(void *arg) { work(1000000); return arg; }
static void on_int(int sig) { (void)sig; if (write(1, "caught\n", 7) != 7) _exit(9); _exit(7); }
int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	work(1000000);
	pthread_join(t, NULL);
	if (!strcmp(what, "catch")) signal(SIGTERM, on_int);
	printf("result %s\n", what);
	if (!strcmp(what, "hang")) printf("pid %d\n", (int)getpid());
	fflush(stdout);
	if (!strcmp(what, "status")) return atoi(argv[2]);
	if (!strcmp(what, "abort")) abort();
	if (!strcmp(what, "fork")) { if (!fork()) { work(1000); exit(4); } wait(NULL); }
	if (!strcmp(what, "exec")) execl(argv[0], argv[0], "execed", (char *)NULL);
	if (!strcmp(what, "catch") || !strcmp(what, "hang")) for (;;) work(100000);
	return 0;
}
E
cc -o work work.c || { echo "Bail out! cannot build"; exit 1; }

exits 0 "a program that ends with 0 gives 0" perseus record ./work
it "its own output is all there is on stdout" sh -c 'grep -qx "result " "$1" && [ $(wc -l <"$1") = 1 ]' - "$T/out"
says "^run @last = perseus.data/work-1 " "the summary goes to stderr" "$T/err"
exits 37 "the program's status is handed on" perseus record ./work status 37
exits 134 "an abort() is 128 + 6" perseus record ./work abort
says "^signal: 6" "the manifest names the signal" perseus.data/last/manifest.yaml
it "runs are numbered, and last is the newest" test "$(readlink perseus.data/last)" = work-3
perseus record -q --purpose=sharing ./work >/dev/null 2>&1
it "last-sharing and last-timing go their own ways" \
	test "$(readlink perseus.data/last-sharing) $(readlink perseus.data/last-timing)" = "work-4 work-3"
it "the site table is copied byte for byte" sh -c \
	'objcopy -O binary --only-section=.perseus.sites --set-section-flags .perseus.sites=alloc work sites.bin && cmp sites.bin perseus.data/work-1/modules/*.sites'
it "the symbols hold the function" grep -q ' t work$' perseus.data/work-1/modules/*.symbols

exits 0 "a run can be put elsewhere" perseus record -q -o here/there ./work
it "and holds a manifest and a record there" sh -c 'ls here/there/manifest.yaml here/there/*.prec'
exits 125 "a run is not overwritten" perseus record -o here/there ./work
says "is there already" "and the message says so" "$T/err"
mkdir empty
exits 0 "an empty directory is fine" perseus record -q -o empty ./work

# Wrappers
printf '#!/bin/sh\n./work status 3\nexit $(($? + 1))\n' >wrapper
chmod +x wrapper
exits 4 "a script that starts the program is recorded, with the script's status" perseus record ./wrapper
it "the record is the program's" sh -c 'ls perseus.data/last/*.prec'
exits 0 "env as a wrapper works" perseus record -q env X=1 ./work
exits 0 "a program found along PATH works" env PATH="$T:$PATH" perseus record -q work
exits 3 "options of the program are not ours" perseus record -q ./work status 3 --purpose=x -o
exits 3 "nor behind --" perseus record -q -- ./work status 3

exits 0 "a fork is recorded" perseus record -q ./work fork
it "parent and child have a record each" sh -c '[ $(ls perseus.data/last/*.prec | wc -l) = 2 ]'
exits 0 "an exec is recorded" perseus record -q ./work exec
it "each program image has a record" sh -c '[ $(ls perseus.data/last/*.prec | wc -l) = 2 ]'
for s in address thread; do
	if gcc -fsanitize=$s -O1 -g -fplugin="$PLUGIN" -pthread -o work-$s work.c 2>/dev/null; then
		exits 0 "a program under -fsanitize=$s is recorded" perseus record -q ./work-$s
	else
		skip "a program under -fsanitize=$s is recorded" "no lib for -fsanitize=$s"
	fi
done
exits 0 "LD_PRELOAD of the user stays" env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=libm.so.6 perseus record -q sh -c 'echo $LD_PRELOAD; ./work'
says "libperseus-rt.so:libm.so.6" "behind the runtime" "$T/out"

# SIGKILL half-way
perseus record ./work hang >out.kill 2>err.kill &
recorder=$!
soon grep -q pid out.kill
child=$(sed -n "s/^pid //p" out.kill)
kill -KILL "$child"
wait $recorder
it "a program killed by SIGKILL gives 137" test $? = 137
exits 4 "its run can be read, and report says that it is not whole" perseus report
says "SIGKILL" "and why" "$T/out"
says "work" "and shows what there is" "$T/out"

# Signals sent to the recorder alone
perseus record ./work catch >out.term 2>err.term &
recorder=$!
soon grep -q result out.term
kill -TERM $recorder
wait $recorder
it "a signal to the recorder reaches the program, whose status counts" test $? = 7
says caught "the handler ran" out.term
says "^run @last" "and the run is whole" err.term

# The recorder itself is killed: the program goes on, the run can be read
perseus record ./work hang >out.rk 2>/dev/null &
recorder=$!
soon grep -q pid out.rk
child=$(sed -n "s/^pid //p" out.rk)
kill -KILL $recorder
wait $recorder 2>/dev/null
it "the program survives the death of the recorder" kill -0 "$child"
exits 4 "the run of a killed recorder is readable, and marked" perseus report
kill -KILL "$child"

# Without the runtime nothing changes
./work status 5 >plain.out
it "without perseus record the program behaves as ever" test $? = 5
it "and leaves no file" sh -c '! ls *.prec 2>/dev/null'
finish
