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
all() { perseus-verify plan.yaml "$1" --rebuilt t.o p.o --objects u.o t.o p.o $2; }
exits 0 "the twin: as it was planned" all x
says "^equal in threads, calls and code: " "the twin: as it was planned, without a limit"
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

# ---- versions of what the program itself calls; one linker writes them into the symbol table
cat >bound.py <<'X'
import re, struct, subprocess, sys
data = bytearray(open("x2", "rb").read())
place = next(int(l.split("]")[1].split()[3], 16) for l in subprocess.run(["readelf", "-SW", "x2"], capture_output=True, text=True).stdout.splitlines() if " .gnu.version " in l)
symbols = subprocess.run(["readelf", "--dyn-syms", "-W", "x2"], capture_output=True, text=True).stdout
number = int(re.search(r"(\d+): .* %s@" % sys.argv[1], symbols)[1])
struct.pack_into("<H", data, place + 2 * number, int((re.search(r"%s \((\d+)\)" % re.escape(sys.argv[2]), symbols) or [0, 1])[1]))
open("y", "wb").write(data)
X
cat >calls.c <<'X'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void calls(void) { fputs(realpath("/tmp/..", 0) ? "/" : "NULL", stdout); }
X
it "versions: a unit" gcc -O2 -fno-pie -c calls.c
bound() { perseus-verify plan.yaml "$@" --rebuilt t.o p.o --objects u.o t.o p.o calls.o; }
for linker in gold lld mold; do
	command -v ld.$linker >/dev/null || { skip "versions: linked by $linker" "not installed"; continue; }
	it "versions: linked by $linker" gcc -no-pie -fuse-ld=$linker -o x2 u.o t.o p.o calls.o
	exits 0 "versions: the twin by $linker" bound x2 --report versions.md
	says "^equal in threads, calls and code: " "versions: the twin by $linker, without a limit"
	it "versions: the report by $linker names the library" grep -q "library of this machine, .*libc.so.6 | .* [0-9a-f]* |" versions.md
	for way in "realpath GLIBC_2.2.5" "fputs GLIBC_2.3" "stdout GLIBC_2.3" "stdout none"; do
		it "versions: another for ${way% *} by $linker" python3 bound.py $way
		exits 0 "versions: $way by $linker" bound y
		says "^not shown: that the versions of 1 names of libraries .* ${way% *} of " "versions: $way by $linker, is named"
	done
done

# ---- what the program sets itself
sets() { # NAME CODE NAMED
	printf '#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n#include <unistd.h>\nvoid *own(cpu_set_t *s);\nvoid *own(cpu_set_t *s)\n{\n\t%s\n\treturn s;\n}\n' "$2" >own.c
	it "$1: builds" sh -c "gcc -O2 -w -c own.c && gcc -o y u.o t.o p.o own.o"
	exits 0 "$1" all y own.o
	if [ -n "$3" ]; then
		says "^equal in threads, calls and code, as far as shown" "$1: limits the verdict"
		says "^not shown: that .own. moves no thread that the plan has placed: it calls $3" "$1: is named"
	else
		says "^equal in threads, calls and code: " "$1: without a limit"
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
	exits 4 "text: $1" perseus-source-check plan.yaml gen/perseus_triggers.c
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
exits 1 "text: a comment behind a directive" perseus-source-check plan.yaml gen/perseus_triggers.c
sed "${line}s,^.*\$,#ifdef PERSEUS_NO_SUCH\nx /* a\n#endif\n&\n*/\n#endif," kept/perseus_triggers.c >gen/perseus_triggers.c
exits 1 "text: a comment where nothing is read" perseus-source-check plan.yaml gen/perseus_triggers.c
cp kept/perseus_triggers.c gen/perseus_triggers.c
exits 0 "text: the twin, as it was" perseus-source-check plan.yaml gen/perseus_triggers.c

# ---- the planned machine, and what stands beside the source
for edit in 's/CORES (\([0-9]*\))/CORES (1\1)/' 's/CPU   "/CPU   "x/'; do
	sed "$edit" kept/perseus_machine.h >gen/perseus_machine.h
	exits 1 "machine: $edit" perseus-source-check plan.yaml gen/perseus_triggers.c
	says "perseus_machine.h: PERSEUS_C[A-Z]* is not " "machine: $edit, is named"
done
cp kept/perseus_machine.h gen/perseus_machine.h
for edit in '/^call/s/ after / before /' '/^call/s/^call 0007/call 0008/' '/^call/s/ [0-9a-f]\{16\} / 0123456789abcdef /' '/^create/d' 's/^plan ./plan x/' '/^create 1/s/1/2/'; do
	sed "$edit" kept/perseus_triggers.plan >gen/perseus_triggers.plan
	exits 1 "plan file: $edit" perseus-source-check plan.yaml gen/perseus_triggers.c
	says "^  perseus_triggers.plan" "plan file: $edit, is named"
done
cp kept/perseus_triggers.plan gen/perseus_triggers.plan
sha256sum plan.yaml x gen/perseus_*.[ch] >list
exits 0 "manifest: the twin, all generated files" perseus-source-check plan.yaml gen/perseus_triggers.c --manifest list
for f in perseus_platform_linux.c perseus_machine.h; do
	grep -v "$f" list >short
	exits 1 "manifest: without $f" perseus-source-check plan.yaml gen/perseus_triggers.c --manifest short
	says "the manifest does not hold $f, which is beside the reviewed source" "manifest: without $f, is named"
done

# ---- instructions and references
gcc -O2 -S -fplugin="$PLUGIN" -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -o u.s stages.c
for trap in int3 "int \$0x80" ud2; do
	sed "s/^\tcall\tperseus_trigger_.*/\t$trap\n&/" u.s >trap.s
	it "trap: $trap, builds" gcc -o y trap.s t.o p.o
	perseus-verify plan.yaml y >"$T/out" 2>&1
	says "^different: |^not shown: that perseus_trigger_[0-9]* in .work. stands after" "trap: $trap between call and trigger"
done
if command -v g++ >/dev/null; then
	cat >once.cc <<-'X'
	#include <mutex>
	extern "C" int once(int);
	static std::once_flag flag;
	int once(int n) { std::call_once(flag, [&] { n++; }); return n; }
	X
	for pic in "" -fPIC "-fPIC -fno-plt"; do
		for ld in bfd gold lld mold; do
			command -v ld.$ld >/dev/null || continue
			it "std::call_once, $pic $ld, builds" sh -c "g++ -O2 $pic -c once.cc && g++ -fuse-ld=$ld -o y once.o u.o t.o p.o"
			exits 0 "thread-local variables of a library, $pic $ld" all y once.o
		done
	done
fi

# ---- what the loader stores: copies of a library's variables, and what it calls for an address
cat >store.py <<'X'
import struct, sys
way = sys.argv[1]
data = bytearray(open("x2", "rb").read())
off, = struct.unpack_from("<Q", data, 0x28)
n, = struct.unpack_from("<H", data, 0x3c)
heads = [struct.unpack_from("<IIQQQQIIQQ", data, off + 64 * i) for i in range(n)]
sym = next(h for h in heads if h[1] == 11)
dynamic = next(h for h in heads if h[1] == 6)
table = next(h for h in heads if h[1] == 4 and h[2] & 2)
at = range(table[4], table[4] + table[5], 24)
copies = [a for a in at if struct.unpack_from("<I", data, a + 8)[0] == 5]
if way == "resolver": # the last of the relative ones
    last = [a for a in at if struct.unpack_from("<I", data, a + 8)[0] == 8][-1]
    struct.pack_into("<I", data, last + 8, 37)
    for a in range(dynamic[4], dynamic[4] + dynamic[5], 16):
        tag, value = struct.unpack_from("<QQ", data, a)
        if tag == 0x6ffffff9:
            struct.pack_into("<Q", data, a + 8, value - 1)
elif way == "exchange":
    a, b = copies[0] + 12, copies[1] + 12
    data[a:a + 4], data[b:b + 4] = data[b:b + 4], data[a:a + 4]
else: # hidden
    for a in copies:
        data[sym[4] + 24 * struct.unpack_from("<I", data, a + 12)[0] + 5] = 2
open("y", "wb").write(data)
X
cat >streams.c <<'X'
#include <stdio.h>
int one(int n);
int one(int n) { return n + 1; }
int (*volatile table[])(int) = {one};
__attribute__((constructor)) static void tell(void) { fputs("out", stdout); fputs("err", stderr); }
X
stored() { perseus-verify plan.yaml "$1" --rebuilt t.o p.o --objects u.o t.o p.o streams.o; }
it "copies: a program with fixed addresses" sh -c "gcc -O2 -fno-pie -c streams.c && gcc -no-pie -o x2 u.o t.o p.o streams.o"
exits 0 "copies: the twin" stored x2
for way in exchange hidden; do
	python3 store.py $way
	exits 1 "copies: $way" stored y
	says "is of a kind that is not made there" "copies: $way, is named"
done
it "resolvers: a program that the loader moves" sh -c "gcc -O2 -c streams.c && gcc -o x2 u.o t.o p.o streams.o"
exits 0 "resolvers: the twin" stored x2
python3 store.py resolver
exits 1 "resolvers: a pointer that is called for its value" stored y

# ---- constants that hold an address: two pointers that are stored at once
cat >both.c <<'X'
struct both { void (*a)(void), (*b)(void); };
static void one(void) { __asm__ volatile("nop"); }
static void two(void) { __asm__ volatile("nop; nop"); }
void set(struct both *to);
void set(struct both *to) { to->a = one; to->b = two; }
X
cat >null.py <<'X'
import re, struct, subprocess
text = subprocess.run(["objdump", "-d", "--disassemble=set", "x2"], capture_output=True, text=True).stdout
at, code, to = re.search(r"^ *([0-9a-f]+):\t([0-9a-f ]+)\tmovhps .*\(%rip\).*# ([0-9a-f]+)", text, re.M).groups()
data = bytearray(open("x2", "rb").read())
load = [[int(w, 16) for w in l.split()[1:5]] for l in subprocess.run(["readelf", "-lW", "x2"], capture_output=True, text=True).stdout.splitlines() if l.split()[:1] == ["LOAD"]]
place = lambda a: next(l[0] + a - l[1] for l in load if l[1] <= a < l[1] + l[3])
zero = next(a for a in range(int(to, 16) & ~4095, int(to, 16) + 4096, 8) if data[place(a):place(a) + 8] == bytes(8))
where = place(int(at, 16)) + len(code.split()) - 4
struct.pack_into("<i", data, where, struct.unpack_from("<i", data, where)[0] + zero - int(to, 16))
open("y", "wb").write(data)
X
constant() { perseus-verify plan.yaml "$1" --rebuilt t.o p.o --objects u.o t.o p.o both.o; }
it "constants: a program" sh -c "gcc -O2 -fno-pie -c both.c && gcc -no-pie -o x2 u.o t.o p.o both.o"
exits 0 "constants: the twin" constant x2
says "^equal in threads, calls and code: " "constants: the twin, without a limit"
it "constants: another place" python3 null.py
exits 1 "constants: a pointer that is read from zeros" constant y

# ---- the code round main: where each of its addresses leads, with one byte changed
cat >round.py <<'X'
import subprocess, sys
name, step = sys.argv[1], int(sys.argv[2])
lines = subprocess.run(["objdump", "-d", "--disassemble=" + name, "x"], capture_output=True, text=True).stdout.splitlines()
at = next(int(l.split(":")[0], 16) for l in lines if "(%rip)" in l and "\t" in l)
head = [int(b, 16) for b in next(l for l in lines if "(%rip)" in l).split("\t")[1].split()]
load = next(l.split() for l in subprocess.run(["readelf", "-lW", "x"], capture_output=True, text=True).stdout.splitlines()
	    if l.split()[:1] == ["LOAD"] and "E" in l.split()[6:-1])
data = bytearray(open("x", "rb").read())
at += int(load[1], 16) - int(load[2], 16) + (2 if head[0] == 0x80 else 3)
data[at + abs(step) - 1] = (data[at + abs(step) - 1] + (1 if step > 0 else 255)) & 255
open("y", "wb").write(data)
X
for name in __do_global_dtors_aux deregister_tm_clones register_tm_clones; do for step in 1 2 4; do
	it "round main: $name, byte $step" python3 round.py $name $step
	all y >"$T/out" 2>&1
	says "^not shown: that $name does what the start-up code of a toolchain does" "round main: $name leads elsewhere, byte $step"
done; done

# ---- mold from 2.37 on computes the address of what is not there: zero, unless the loader moves the program
cat >zero.py <<'X'
import struct, subprocess, sys
symbols = subprocess.run(["readelf", "-sW", sys.argv[1]], capture_output=True, text=True).stdout.splitlines()
at = next(int(l.split()[1], 16) for l in symbols if l.split()[-1:] == ["_init"])
load = next(l.split() for l in subprocess.run(["readelf", "-lW", sys.argv[1]], capture_output=True, text=True).stdout.splitlines()
	    if l.split()[:1] == ["LOAD"] and "E" in l.split()[6:-1])
data = bytearray(open(sys.argv[1], "rb").read())
place = at + int(load[1], 16) - int(load[2], 16)
skip = next(n for n in (4, 8) if data[place + n] == 0x48)
data[place + skip:place + skip + 7] = b"\x48\x8d\x05" + struct.pack("<i", int(sys.argv[2]) - (at + skip + 7))
open("y", "wb").write(data)
X
zero() { perseus-verify plan.yaml y --rebuilt t.o p.o --objects u.o t.o p.o both.o; }
it "zero: a program that is not moved" python3 zero.py x2 0
exits 0 "zero: the twin" zero
says "^equal in threads, calls and code: " "zero: the twin, without a limit"
it "zero: another address" python3 zero.py x2 1
exits 0 "zero: another address is seen" zero
says "^not shown: that _init does what the start-up code of a toolchain does" "zero: another address, is named"
it "zero: a program that is moved" python3 zero.py x 0
exits 0 "zero: where it is moved" all y
says "^not shown: that _init does what the start-up code of a toolchain does" "zero: where it is moved, is named"

# ---- ways in
into() { # NAME CODE VERDICT PATTERN: assembler that goes into the middle of work(), behind its barrier
	sed "0,/^\tcall\tperseus_trigger_.*/s//.globl inside\n.type inside, @notype\ninside:\n&/" u.s >into.s
	printf '\t.text\n\t.globl own\n\t.type own, @function\nown:\n\t%b\n\tret\n\t.size own, .-own\n\t.section .note.GNU-stack,"",@progbits\n' "$2" >own.s
	it "$1: builds" gcc -o y into.s own.s t.o p.o
	exits "$3" "into the middle of a function: $1" perseus-verify plan.yaml y
	says "$4" "into the middle of a function: $1, is named"
}
into "a jump" 'jmp inside' 1 "own. at 0x[0-9a-f]* goes into the middle of .work., not by its begin"
into "a condition" 'je inside' 1 "own. at 0x[0-9a-f]* goes into the middle of .work."
into "a call" 'call inside' 1 "own. at 0x[0-9a-f]* goes into the middle of .work."
into "a pointer" 'ret\n\t.data\n\t.quad inside\n\t.text\n\tnop' 0 "^not shown: that nobody goes by the pointer at 0x[0-9a-f]*, into the middle of .work."
into "a generated function" 'call perseus_platform_pin+4' 1 "goes into the middle of .perseus_platform_pin."
into "the instance" 'movl $2, %fs:-4' 1 "own. uses the variable by which the generated code knows a thread|own. writes"
into "the twin: nothing" 'nop' 0 "^equal in threads"
cat >dead.c <<'X'
#include <pthread.h>
void perseus_trigger_0007(void);
void *work(void *arg);
void *work(void *arg) { static pthread_barrier_t b; pthread_barrier_wait(&b); perseus_trigger_0007(); return arg; }
X
sed "s/\bwork\b/live/g;/^\tcall\tperseus_trigger_/d" u.s >live.s
it "a trigger that nobody comes to: builds" sh -c "gcc -O2 -fno-ipa-icf -c dead.c && gcc -o y live.s dead.o t.o p.o"
exits 0 "a trigger that nobody comes to" perseus-verify plan.yaml y
says "^not shown: that perseus_trigger_0007 is ever executed: nothing refers to .work." "a trigger that nobody comes to, is named"
finish
