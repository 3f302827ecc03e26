#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify: programs whose code comes from static libraries or from a link
# with -flto, and instructions that the linker writes anew.  Each fault has a
# twin without it.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "whole programs" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c "$T"
cd "$T" || exit 1
it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured stages.c
stages_plan ./measured work pthread_barrier_wait >plan.yaml
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
planned="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=gen/perseus_triggers.plan"
it "compiles" sh -c "gcc -O2 -c -o t.o gen/perseus_triggers.c && gcc -O2 -c -o p.o gen/perseus_platform_linux.c && gcc -O2 $planned -c -o u.o stages.c"
# all PROGRAM OBJECTS...: the strongest verdict
all() {
	program=$1
	shift
	perseus-verify plan.yaml "$program" --rebuilt t.o p.o --objects "$@"
}
equal() { # NAME PROGRAM OBJECTS...
	name=$1
	shift
	exits 0 "$name" all "$@"
	says "^equal in threads, calls and code: " "$name, without a limit"
}
limited() { # NAME PATTERN PROGRAM OBJECTS...
	name=$1 named=$2
	shift 2
	exits 0 "$name" all "$@"
	says "^equal in threads, calls and code, as far as shown: " "$name, limits the verdict"
	says "^not shown: .*$named" "$name, is named"
}
differs() { # NAME PATTERN PROGRAM OBJECTS...
	name=$1 named=$2
	shift 2
	exits 1 "$name" all "$@"
	says "$named" "$name, is named"
}
# patch FROM TO SYMBOL OLD NEW: the bytes OLD behind SYMBOL are NEW
cat >patch.py <<'X'
import subprocess, sys
name, out, symbol, old, new = sys.argv[1:]
data = bytearray(open(name, "rb").read())
lines = subprocess.run(["nm", name], capture_output=True, text=True).stdout.splitlines()
address = next(int(l.split()[0], 16) for l in lines if l.endswith(" " + symbol))
heads = subprocess.run(["readelf", "-lW", name], capture_output=True, text=True).stdout.split("\n")
loads = [[int(w, 16) for w in l.split()[1:6]] for l in heads if l.strip().startswith("LOAD")]
at = next(address - v + o for o, v, _, size, _ in loads if v <= address < v + size)
at = data.index(bytes.fromhex(old), at, at + 256)
data[at:at + len(new) // 2] = bytes.fromhex(new)
open(out, "wb").write(data)
X

# ---- -flto: what the link compiles is kept by -save-temps
it "-flto: compiles" gcc -O2 -flto $planned -c -o l.o stages.c
it "-flto: links" gcc -O2 -flto $planned -save-temps -o lto l.o t.o p.o
limited "-flto: the objects that were given to the link" "1 objects, which hold no machine code" lto l.o t.o p.o
equal "-flto: those that it made" lto lto.ltrans0.ltrans.o t.o p.o
equal "-flto: both" lto l.o lto.ltrans0.ltrans.o t.o p.o
it "-flto: fat objects, links" sh -c "gcc -O2 -flto -ffat-lto-objects $planned -c -o f.o stages.c && gcc -O2 -flto $planned -save-temps -o fat f.o t.o p.o"
equal "-flto: fat objects and those that the link made" fat f.o fat.ltrans0.ltrans.o t.o p.o
it "-flto: fat objects, linked without it" gcc -O2 -fno-lto -o fat2 f.o t.o p.o
equal "-flto: fat objects, linked without it" fat2 f.o t.o p.o
it "-flto: of another build, links" sh -c "gcc -O0 -flto $planned -c -o n.o stages.c && gcc -O0 -flto $planned -save-temps -o nopt n.o t.o p.o"
differs "-flto: those of another build" "in the binary is not the code of nopt.ltrans0" lto nopt.ltrans0.ltrans.o t.o p.o

# ---- static libraries
it "members of a library: links" sh -c "ar rcs libu.a u.o t.o && gcc -O2 -o x u.o t.o p.o"
equal "members of a library" x libu.a p.o
it "a library that only names its members" sh -c "ar rcsT libthin.a u.o t.o"
exits 4 "a library that only names its members" all x libthin.a p.o
head -c 300 libu.a >libcut.a
exits 4 "a library that is cut off" all x libcut.a p.o
head -c $(($(wc -c <libu.a) - ($(wc -c <t.o) + 1) / 2 * 2 - 30)) libu.a >libcut.a
exits 4 "a library that is cut off within the header of a member" all x libcut.a p.o t.o
it "another function's library" sh -c "gcc -O0 $planned -c -o u0.o stages.c && ar rcs libo.a u0.o t.o"
differs "members of another build" "no object calls trigger 0007" x libo.a p.o

libraries=
for l in libc.a libgcc.a libgcc_eh.a; do libraries="$libraries $(gcc -print-file-name=$l)"; done
if [ -e "$(gcc -print-file-name=libc.a)" ]; then
	gcc -O2 -DPERSEUS_STATIC -c -o ps.o gen/perseus_platform_linux.c
	static() { perseus-verify plan.yaml "$1" --rebuilt t.o ps.o --objects u.o t.o ps.o $2; }
	for way in "" -static-pie; do
		it "static $way: links" gcc -O2 ${way:--static} -Wl,--wrap=pthread_create -o s u.o t.o ps.o
		exits 0 "static $way: with the libraries" static s "$libraries"
		[ -n "$way" ] || says "^equal in threads, calls and code: " "static: with the libraries, without a limit"
	done
	it "static: links" gcc -O2 -static -Wl,--wrap=pthread_create -o s u.o t.o ps.o
	exits 0 "static: without the libraries" static s
	says "^not shown: that functions which the generated code calls are the C library's" "static: without the libraries, is named"
	echo '#include <stddef.h>
int sched_setaffinity(int p, size_t n, const void *s); int sched_setaffinity(int p, size_t n, const void *s) { return p + (int)n + !s; }' >own.c
	gcc -O2 -c -o own.o own.c
	it "static: its own sched_setaffinity, links" gcc -O2 -static -Wl,--wrap=pthread_create -o s2 u.o t.o ps.o own.o
	exits 0 "static: its own sched_setaffinity" static s2 "own.o $libraries"
	says "^not shown: that functions which the generated code calls are the C library's .*sched_setaffinity" "static: its own sched_setaffinity, is named"
	it "static: another library's, links" sh -c "ar rcs libown.a own.o"
	exits 0 "static: another library's sched_setaffinity" static s2 "libown.a $libraries"
	says "^not shown: that functions which the generated code calls are the C library's .*sched_setaffinity" "static: another library's sched_setaffinity, is named"
	python3 - <<'X'
import subprocess
data = bytearray(open("s", "rb").read())
out = subprocess.run(["objdump", "-d", "-F", "--disassemble=__cxa_atexit", "s"], capture_output=True, text=True).stdout
at = int(out.split("File Offset: 0x")[1].split(")")[0], 16)
data[at + 9] ^= 8
open("s3", "wb").write(data)
X
	exits 0 "static: a byte of the library" static s3 "$libraries"
	says "^not shown: what code does that is in none of the objects: " "static: a byte of the library, is named"
fi

# ---- what the linker writes in the place of an instruction
cat >got.s <<'X'
	.text
	.globl by_got
	.type by_got, @function
by_got:
	movq	kept@GOTPCREL(%rip), %rcx
	movq	kept@GOTPCREL(%rip), %r9
	call	*other@GOTPCREL(%rip)
	movq	thing@GOTTPOFF(%rip), %rdx
	addq	thing@GOTTPOFF(%rip), %rsi
	.byte	0x66
	leaq	thing@TLSGD(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	jmp	*other@GOTPCREL(%rip)
	.size by_got, .-by_got
	.globl other
	.type other, @function
other:	ret
	.size other, .-other
	.data
	.globl kept
	.type kept, @object
	.size kept, 8
kept:	.quad 3
	.section .tdata,"awT",@progbits
	.globl thing
	.type thing, @object
	.size thing, 4
thing:	.long 5
	.section .note.GNU-stack,"",@progbits
X
for ld in bfd gold lld mold; do
	command -v ld.$ld >/dev/null || continue
	it "$ld: links" sh -c "gcc -c got.s && gcc -fuse-ld=$ld -o r u.o t.o p.o got.o"
	equal "$ld: instructions that it writes anew" r u.o t.o p.o got.o
done
it "bfd: links" gcc -o r u.o t.o p.o got.o
rewritten() { # NAME OLD NEW
	it "$1: is made" python3 patch.py r y by_got "$2" "$3"
	differs "$1" "by_got in the binary is not the code of got.o" y u.o t.o p.o got.o
}
# Of the bytes without effect in front of a direct call each linker has its own.
it "another prefix without effect: is made" python3 patch.py r y by_got 67e8 40e8
equal "another prefix without effect" y u.o t.o p.o got.o
rewritten "a prefix with an effect" 67e8 66e8
rewritten "another register" 488d0d 488d15
rewritten "another register of the upper eight" 4c8d0d 488d0d
rewritten "a call of the distance is a jump" 67e8 67e9
rewritten "a number for another register" 48c7c2 48c7c3
rewritten "another base of a thread's variable" 64488b042500000000 64488b042508000000
for flags in "-mtls-dialect=gnu2 -fPIC" "-fPIC" "-fPIC -fno-plt" "-mtls-dialect=gnu2 -fPIC -fno-plt"; do
	echo 'extern __thread int far; __thread int far = 3; static __thread int near, next = 2; int tls(int n); int tls(int n) { far += n; near += far; return near++ + next++ + far; }' >tls.c
	for ld in bfd gold lld mold; do
		command -v ld.$ld >/dev/null || continue
		it "$flags, $ld: links" sh -c "gcc -O2 $flags -c tls.c && gcc -fuse-ld=$ld -o r2 u.o t.o p.o tls.o"
		equal "thread-local variables, $flags, $ld" r2 u.o t.o p.o tls.o
	done
done
finish
