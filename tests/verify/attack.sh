#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways past the verdict: versions and visibility that the loader goes by, settings
# of the program's own, and text that a compiler reads otherwise than the verifier.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "attacks" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c "$T"
cd "$T" || exit 1
it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured stages.c
stages_plan ./measured work pthread_barrier_wait >plan.yaml
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
it "compiles" sh -c "gcc -O2 -c -o t.o gen/perseus_triggers.c && gcc -O2 -c -o p.o gen/perseus_platform_linux.c &&
	gcc -O2 -fplugin='$PLUGIN' -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c -o u.o stages.c && gcc -o x u.o t.o p.o"
all() { perseus-verify plan.yaml "$1" --source gen/perseus_triggers.c --rebuilt t.o p.o --objects u.o t.o p.o $2; }
exits 0 "the twin: as it was planned" all x
says "^equal: " "the twin: as it was planned, without a limit"
says "the platform file is compared as code, not run" "that the platform file is not run is said"

# ---- what the loader goes by
cat >edit.py <<'X'
import struct, sys
data = bytearray(open("x", "rb").read())
off, = struct.unpack_from("<Q", data, 0x28)
n, = struct.unpack_from("<H", data, 0x3c)
heads = [struct.unpack_from("<IIQQQQIIQQ", data, off + 64 * i) for i in range(n)]
sym = next(h for h in heads if h[1] == 11)
text = heads[sym[6]]
versions = next(h for h in heads if h[1] == 0x6fffffff)
for i in range(sym[5] // 24):
    at = sym[4] + 24 * i
    name, = struct.unpack_from("<I", data, at)
    if data[text[4] + name:].split(b"\0", 1)[0] == b"pthread_create":
        if sys.argv[1] == "hidden":
            data[at + 5] = 2
        else:
            struct.pack_into("<H", data, versions[4] + 2 * i, int(sys.argv[1]))
open("y", "wb").write(data)
X
for way in 0 2 3 hidden; do
	python3 edit.py $way
	exits 1 "loader: pthread_create exported as $way" all y
	says "pthread_create is not exported" "loader: pthread_create exported as $way, is named"
done
python3 edit.py 1
exits 0 "loader: the twin, exported to all" all y

cat >old.c <<'X'
#define _GNU_SOURCE
#include <sched.h>
int sched_setaffinity(pid_t p, size_t n, const cpu_set_t *s) { return p + (int)n + !s; }
int sched_getaffinity(pid_t p, size_t n, cpu_set_t *s) { return p + (int)n + !s; }
X
echo 'GLIBC_2.3.3 { global: sched_setaffinity; sched_getaffinity; local: *; };' >old.map
it "loader: a stub of an old C library" gcc -shared -fPIC -nostdlib -Wl,--version-script=old.map -o libold.so old.c
it "loader: a program linked with it" gcc -o y u.o t.o p.o ./libold.so
exits 1 "loader: an old version of sched_setaffinity" all y
says "calls sched_setaffinity of version GLIBC_2.3.3, which is another function" "loader: an old version of sched_setaffinity, is named"

# ---- what the program sets itself
sets() { # NAME CODE NAMED
	printf '#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n#include <unistd.h>\nvoid *own(cpu_set_t *s);\nvoid *own(cpu_set_t *s)\n{\n\t%s\n\treturn s;\n}\n' "$2" >own.c
	it "$1: builds" sh -c "gcc -O2 -w -c own.c && gcc -o y u.o t.o p.o own.o"
	exits 0 "$1" all y own.o
	if [ -n "$3" ]; then
		says "^equal as far as shown" "$1: limits the verdict"
		says "^not shown: that .own. moves no thread that the plan has placed: it calls $3" "$1: is named"
	else
		says "^equal: " "$1: without a limit"
	fi
}
sets "a mask of its own" 'sched_setaffinity(0, sizeof(*s), s);' sched_setaffinity
sets "a mask for a thread" 'pthread_setaffinity_np(pthread_self(), sizeof(*s), s);' pthread_setaffinity_np
sets "a mask for new threads" 'pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setaffinity_np(&a, sizeof(*s), s);' pthread_attr_setaffinity_np
sets "by a pointer" 'return (void *)sched_setaffinity;' sched_setaffinity
sets "by syscall()" 'syscall(203, 0, sizeof(*s), s);' syscall
sets "by the instruction" 'long r; __asm__ volatile("syscall" : "=a"(r) : "a"(203), "D"(0), "S"(sizeof(*s)), "d"(s) : "rcx", "r11", "memory");' "the system"
sets "the twin: a mask that is read" 'sched_getaffinity(0, sizeof(*s), s);'

# ---- what the compiler reads otherwise
cp -r gen kept
line=$(grep -n 'perseus_pin(' gen/perseus_triggers.c | grep ';' | head -1 | cut -d: -f1)
reads() { # NAME SED PATTERN: the reviewed source is refused
	sed "$2" kept/perseus_triggers.c >gen/perseus_triggers.c
	it "text: $1, compiles" gcc -std=c11 -w -O2 -Igen -c -o t2.o gen/perseus_triggers.c
	exits 4 "text: $1" perseus-verify plan.yaml x --source gen/perseus_triggers.c
	says "perseus_triggers.c line [0-9]+: $3" "text: $1, is named with its line"
}
for name in __x86_64__ __OPTIMIZE__ UINT32_MAX linux; do
	reads "a condition on $name" "${line}s/.*/#ifndef $name\n&\n#endif/" "a condition that generated code does not have"
done
reads "a comment that goes on" "$((line - 1))s,\$, // as planned \\\\," "a joined line"
reads "a comment that goes on behind blanks" "$((line - 1))s,\$, // as planned \\\\ ," "a joined line"
reads "a trigraph" "$((line - 1))s,\$, // why??/," "a trigraph"
reads "a joined end of a comment" "${line}s,^,/* a *\\\\\n/ ," "a joined line"
reads "another header" "${line}s/^/#include <limits.h>\n/" "a header of the system"
reads "a name of a header" "1s/^/#define UINT32_MAX (3u)\n/" "expected one #define"
reads "text behind a directive" "${line}s/^/#ifndef PERSEUS_NO_SUCH\n#endif PERSEUS_NO_SUCH\n/" "something behind a directive"
reads "carriage returns" "${line}s/\$/\r/" "a joined line"
# A comment that begins behind a directive, or where nothing is read, goes on.
sed "${line}s,^.*\$,#ifndef PERSEUS_NO_SUCH\n#endif /* a\n&\n*/," kept/perseus_triggers.c >gen/perseus_triggers.c
exits 1 "text: a comment behind a directive" perseus-verify plan.yaml x --source gen/perseus_triggers.c
sed "${line}s,^.*\$,#ifdef PERSEUS_NO_SUCH\nx /* a\n#endif\n&\n*/\n#endif," kept/perseus_triggers.c >gen/perseus_triggers.c
exits 1 "text: a comment where nothing is read" perseus-verify plan.yaml x --source gen/perseus_triggers.c
cp kept/perseus_triggers.c gen/perseus_triggers.c
exits 0 "text: the twin, as it was" perseus-verify plan.yaml x --source gen/perseus_triggers.c
finish
