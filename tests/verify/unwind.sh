#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify: how functions are left by exceptions and cancelled threads
# (.eh_frame) is what the objects say.  Each fault has a twin without it.
. tests/lib.sh
. tests/codegen/plan.inc
if [ -z "$B" ]; then
	skip "unwinding" "needs two cores"
	finish
fi
cp tests/codegen/programs/stages.c "$T"
cd "$T" || exit 1
it "a measured program" gcc -O2 -fplugin="$PLUGIN" -o measured stages.c
stages_plan ./measured work pthread_barrier_wait >plan.yaml
exits 0 "its plan's code" perseus codegen plan.yaml -o gen
it "compiles" sh -c "gcc -O2 -c -o t.o gen/perseus_triggers.c && gcc -O2 -c -o p.o gen/perseus_platform_linux.c &&
	gcc -O2 -fplugin='$PLUGIN' -fplugin-arg-perseus-plan=gen/perseus_triggers.plan -c -o u.o stages.c"
all() { perseus-verify plan.yaml "$1" --rebuilt t.o p.o --objects u.o t.o p.o $2; }

# edit.py FROM TO WAY [FUNCTION]
cat >edit.py <<'X'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
off, = struct.unpack_from("<Q", data, 0x28)
n, = struct.unpack_from("<H", data, 0x3c)
names, = struct.unpack_from("<H", data, 0x3e)
heads = [struct.unpack_from("<IIQQQQIIQQ", data, off + 64 * i) for i in range(n)]
text = lambda at: bytes(data[at:data.index(0, at)]).decode()
section = {text(heads[names][4] + h[0]): h for h in heads}
def entries():
    h, at = section[".eh_frame"], 0
    while at < h[5] and struct.unpack_from("<I", data, h[4] + at)[0]:
        size, kind = struct.unpack_from("<II", data, h[4] + at)
        if kind:
            place = h[4] + at + 8
            pc = (h[3] + at + 8 + struct.unpack_from("<i", data, place)[0]) & (1 << 64) - 1
            yield pc, h[4] + at, size
        at += 4 + size
def functions(is_wanted):
    sym = section[".symtab"]
    for at in range(sym[4], sym[4] + sym[5], 24):
        if is_wanted(text(heads[sym[6]][4] + struct.unpack_from("<I", data, at)[0])):
            yield struct.unpack_from("<QQ", data, at + 8)
def function(name):
    return next(functions(lambda n: n == name))[0]
way = sys.argv[3]
table = section[".eh_frame_hdr"][4]
at = next((a for pc, a, _ in entries() if len(sys.argv) > 4 and pc == function(sys.argv[4])), None)
if way == "operation":   # the frame grows a byte later than it says
    data[at + 17 + data[at + 16]] += 1
elif way == "size":      # less code than there is
    data[at + 12] -= 1
elif way == "handlers":  # another table of handlers
    data[at + 17] += 1
elif way == "personality":
    kind = at + 4 - struct.unpack_from("<I", data, at + 4)[0]
    data[kind + 19] += 8
elif way == "rows":      # two rows of the table exchanged
    data[table + 12:table + 28] = data[table + 20:table + 28] + data[table + 12:table + 20]
elif way == "row":       # leads to another entry
    data[table + 16:table + 20] = data[table + 24:table + 28]
elif way == "count":     # the last row is gone
    data[table + 8] -= 1
elif way == "filler":    # one more operation where nothing was
    pcs = [s[0] for s in functions(lambda n: n.startswith("perseus_"))]
    a, size = next((a, s) for pc, a, s in entries() if pc in pcs and data[a + s + 3] == 0 and data[a + s + 2] == 0)
    data[a + size + 3] = 0x0a
elif way == "table":     # a byte of the handlers of a function
    data[section[".gcc_except_table"][4] + 4] ^= 1
open(sys.argv[2], "wb").write(data)
X
# differs PROGRAM OBJECT NAMED WAY [FUNCTION]
differs() {
	program=$1 object=$2 named=$3
	shift 3
	it "$program: $*, is made" python3 edit.py "$program" y "$@"
	exits 1 "$program: $*" all y "$object"
	says "$named" "$program: $*, is named"
}

for ld in bfd gold lld mold; do
	command -v ld.$ld >/dev/null || continue
	it "$ld: links" gcc -O2 -fuse-ld=$ld -o "c-$ld" u.o t.o p.o
	exits 0 "$ld: the twin" all "c-$ld"
	says "^equal in threads, calls and code: " "$ld: the twin, without a limit"
done
differs c-bfd "" "work is unwound otherwise than " operation work
differs c-bfd "" "work is unwound otherwise than " size work
differs c-bfd "" "perseus_[a-z_0-9]* is unwound otherwise than " operation perseus_thread_enter
differs c-bfd "" "unwound otherwise than " filler
differs c-bfd "" "\(.eh_frame_hdr\) (is not in order|leads to an entry that is not for its code)" rows
differs c-bfd "" "\(.eh_frame_hdr\) leads to an entry that is not for its code" row
differs c-bfd "" "\(.eh_frame_hdr\) leaves an entry out" count

command -v g++ >/dev/null || finish
cat >stray.cc <<'X'
#include <stdexcept>
#include <string>
struct held { std::string s; ~held() { s.clear(); } };
int stray(int n);
int outer(int n);
int stray(int n) { held h; if (n > 3) throw std::runtime_error("n"); return n; }
template <class T> T twice(T n) { held h; try { return stray(n) * 2; } catch (const std::exception &) { return -1; } }
int outer(int n) { try { return twice(n); } catch (int) { return 7; } catch (...) { throw; } }
X
for flags in "-fPIE" "-fno-pie -no-pie" "-fPIC -O0" "-ffunction-sections"; do
	for ld in bfd gold lld mold; do
		command -v ld.$ld >/dev/null || continue
		it "c++ $flags $ld: builds" sh -c "g++ -O2 $flags -c stray.cc && g++ $(case "$flags" in *no-pie*) echo -no-pie ;; esac) -fuse-ld=$ld -o x u.o t.o p.o stray.o"
		exits 0 "c++ $flags $ld: the twin" all x stray.o
		says "^equal in threads, calls and code: " "c++ $flags $ld: the twin, without a limit"
	done
done
it "c++: builds" sh -c "g++ -O2 -c stray.cc && g++ -o x u.o t.o p.o stray.o"
differs x stray.o "_Z5outeri is unwound otherwise than stray.o says" handlers _Z5outeri
differs x stray.o "_Z5outeri is unwound otherwise than stray.o says" personality _Z5outeri
differs x stray.o "_Z5twiceIiET_S0_ is unwound otherwise than " operation _Z5twiceIiET_S0_
differs x stray.o "section .gcc_except_table[a-zA-Z0-9_.]* of stray.o is not what the binary has in its place" table
exits 0 "c++: not all objects" perseus-verify plan.yaml x --rebuilt t.o p.o --objects u.o t.o p.o
says "^not shown: how functions are unwound that are in none of the objects: " "c++: not all objects, is named"
finish
