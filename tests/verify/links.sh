#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify: the linker and the loader cannot get between the reviewed code
# and what runs.  Each fault has a twin without it; the names are cases of
# docs/verify/cases.md.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "links" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c "$T"
cd "$T" || exit 1
it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured stages.c
stages_plan ./measured work pthread_barrier_wait >plan.yaml
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
plugin_flags="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
it "compiles" sh -c "gcc -std=c11 -O2 -c -o t.o gen/perseus_triggers.c && gcc -std=c11 -O2 -c -o p.o gen/perseus_platform_linux.c && gcc -O2 $plugin_flags -c -o u.o stages.c"
# all PROGRAM [OPTION...]: the strongest verdict
all() {
	program=$1
	shift
	perseus-verify plan.yaml "$program" --rebuilt t.o p.o --objects u.o t.o p.o "$@"
}
# linked NAME FLAGS...: links what is in the objects and stray.c
linked() {
	name=$1
	shift
	it "$name, links" gcc -O2 -w -fno-builtin -o x u.o t.o p.o "$@"
}
equal() { exits 0 "equal: $1" all x; says "^equal in threads, calls and code: " "equal: $1, without a limit"; }
differs() { exits 1 "$1" all x; says "$2" "$1, is named"; }
limited() { exits 0 "$1" all x; says "^equal in threads, calls and code, as far as shown: " "$1, limits the verdict"; says "^not shown: $2" "$1, is named"; }

linked "the program"
equal "the program"
for linker in gold lld mold; do
	command -v ld.$linker >/dev/null || { skip "equal: linked by $linker" "not installed"; continue; }
	linked "linked by $linker" -fuse-ld=$linker
	equal "linked by $linker"
done
linked "packed relocations" -Wl,-z,pack-relative-relocs
equal "packed relocations"
linked "fixed addresses" -no-pie
equal "fixed addresses"
echo 'static __thread char scratch[256]; __thread int n = 3; int spare(int x); int spare(int x) { return scratch[x & 255]++ + n++; }' >stray.c
gcc -O2 -c -o stray.o stray.c
linked "thread-local variables" stray.o
exits 0 "equal: thread-local variables" perseus-verify plan.yaml x --rebuilt t.o p.o --objects u.o t.o p.o stray.o
says "^equal in threads, calls and code: " "equal: thread-local variables, without a limit"
echo 'int perseus_count; void perseus_report(void); void perseus_report(void) { perseus_count++; }' >stray.c
gcc -O2 -c -o stray.o stray.c
linked "names of the program that begin as ours" stray.o
exits 0 "equal: names of the program that begin as ours" perseus-verify plan.yaml x --rebuilt t.o p.o --objects u.o t.o p.o stray.o
says "^equal in threads, calls and code: " "equal: names of the program that begin as ours, without a limit"

echo 'unsigned __wrap_perseus_platform_pin(unsigned c, unsigned *e) { *e = 0; return 0; }' >stray.c
linked "wrap below the triggers" stray.c -Wl,--wrap=perseus_platform_pin
differs "wrap below the triggers" "__wrap_perseus_platform_pin: the linker led perseus_platform_pin elsewhere"
for f in sched_setaffinity sched_getaffinity sysconf gettid; do
	echo "long $f(void) { return 0; }" >stray.c
	linked "its own $f" stray.c
	differs "its own $f" "calls $f, which is the program's own"
done
echo 'int pthread_barrier_wait(void *b) { return 0; }' >stray.c
linked "its own barrier" stray.c
limited "its own barrier" "what code does that is in none of the objects: pthread_barrier_wait"
echo 'int sched_setaffinity(void) { return 0; }' >stray.c
gcc -O2 -w -fno-builtin -shared -fPIC -o libstray.so stray.c
linked "a library in between" -Wl,--no-as-needed ./libstray.so
limited "a library in between" "that library ./libstray.so leaves functions alone"
exits 1 "a library in between, looked at" all x --libraries libstray.so
says "library ./?libstray.so defines sched_setaffinity|library libstray.so defines sched_setaffinity" "a library in between, looked at, is named"
linked "what runs first" -Wl,-init=perseus_trigger_0007
differs "what runs first" "what runs first \(DT_INIT\) is perseus_trigger_0007"
linked "what runs last" -Wl,-fini=perseus_create_end
differs "what runs last" "what runs last \(DT_FINI\) is perseus_create_end"
linked "another loader" -Wl,--dynamic-linker=/lib64/ld-stray.so
differs "another loader" "it is loaded by '/lib64/ld-stray.so'"
linked "a run path" -Wl,-rpath,/opt/stray
limited "a run path" "that the libraries are the system's: they are sought in '/opt/stray' first"
linked "an executable stack" -z execstack
limited "an executable stack" "that no code is made when it runs"
printf '.data\n.byte 1\n.quad perseus_trigger_0007\n.section .note.GNU-stack,"",@progbits\n' >stray.s
linked "an unaligned pointer" stray.s
differs "an unaligned pointer" "address of perseus_trigger_0007 is taken"
printf '.text\n.type f,@function\nf: movq $perseus_trigger_0007, -8(%%rbp)\nret\n.size f,.-f\n.section .note.GNU-stack,"",@progbits\n' >stray.s
linked "a pointer in code with fixed addresses" -no-pie stray.s
differs "a pointer in code with fixed addresses" "address of perseus_trigger_0007 is taken"

# Start-up code is read whatever the symbol table calls it.
cat >retype.py <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
shoff, = struct.unpack_from("<Q", data, 40)
size, count = struct.unpack_from("<HH", data, 58)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * size) for i in range(count)]
table = next(s for s in sections if s[1] == 2)
names = sections[table[6]][4]
for at in range(table[4], table[4] + table[5], 24):
    name = names + struct.unpack_from("<I", data, at)[0]
    if data[name:name + 6] == b"_init\0":
        where = struct.unpack_from("<Q", data, at + 8)[0]
        data[at + 4] = data[at + 4] & 0xf0 | 1  # an object
        home = next(s for s in sections if s[3] <= where < s[3] + s[5])
        data[home[4] + where - home[3]] ^= 1  # its first byte
open(sys.argv[1], "wb").write(data)
P
linked "start-up code that is called data"
it "start-up code that is called data: it is changed" python3 retype.py x
limited "start-up code that is called data" "that _init does what the start-up code of a toolchain does"
finish
