#!/bin/sh
# SPDX-License-Identifier: MIT
# What cannot be recorded is refused with 125, a reason, and no trace left.
. tests/lib.sh
cd "$T" || exit 1
echo 'int main(void) { return 0; }' >plain.c
gcc -o plain plain.c
refuses() {
	pattern=$1 text=$2
	shift 2
	exits 125 "$text is refused" perseus record "$@"
	says "$pattern" "$text: the reason" "$T/err"
}
refuses "not found in PATH" "a program that is not there" no-such-program
refuses "No such file" "a path that is not there" ./no-such-program
refuses "directory" "a directory" "$T"
touch text && refuses "not executable" "a file without x" ./text
refuses "built without -fplugin=perseus.so" "a program without probes" ./plain
gcc -static -o static plain.c
refuses "statically linked" "a static program" ./static
cp plain su
if [ "$(id -u)" = 0 ] && chown nobody su && chmod u+s su; then
	refuses "set-user-id" "a set-user-id program" ./su
else
	skip "a set-user-id program is refused" "needs root"
fi
{ printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000\001\000\000\000'; head -c 200 /dev/zero; } >arm
chmod +x arm
refuses "another architecture" "a program of another architecture" ./arm
head -c 3000 plain >cut
chmod +x cut
exits 125 "a truncated program is refused" perseus record ./cut
printf '#!/no/such/interpreter\n' >script
chmod +x script
refuses "cannot run" "a script without its interpreter" ./script
it "nothing is left behind" test ! -e perseus.data

gcc -O1 -fplugin="$PLUGIN" -o probed plain.c
exits 0 "a program that ends before its first probe gives its status" perseus record ./probed
says "there was nothing to record" "and is said to hold nothing" "$T/err"
it "and leaves no run" test ! -e perseus.data
echo 'int main(void) { return 5; }' >five.c
gcc -O1 -fplugin="$PLUGIN" -o five five.c
exits 5 "so does one that fails" perseus record ./five
printf '#!/bin/sh\nexit 0\n' >wrapper
chmod +x wrapper
exits 125 "a script that starts nothing with probes is refused" perseus record ./wrapper
says "started no program built with -fplugin=perseus.so" "the reason" "$T/err"
mkdir -p ro/perseus.data
if [ "$(id -u)" = 0 ]; then
	mount -t tmpfs -o ro,mode=755 none ro/perseus.data 2>/dev/null && mounted=1
else
	chmod a-w ro/perseus.data && mounted=0
fi
if [ -n "$mounted" ]; then
	exits 125 "a read-only directory is refused" sh -c 'cd ro && perseus record ../probed'
	says "Read-only|Permission" "with the reason" "$T/err"
	says "-o DIR" "and the way out" "$T/err"
	[ "$mounted" = 1 ] && umount ro/perseus.data
else
	skip "a read-only directory is refused" "cannot mount"
fi
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m none full 2>/dev/null; then
	exits 125 "a full disk is refused" perseus record -o full/run ./probed
	says "are free" "with the reason" "$T/err"
	umount full
else
	skip "a full disk is refused" "needs root"
fi
# Code that is not what the compiler wrote: the probe is left alone, and that is said for what it is.
cat >shared.c <<'E'
int table[64];
__attribute__((noinline)) static void fill(int n) { for (int i = 0; i < 64; i++) table[i] += n; }
int main(int argc, char **argv) { (void)argv; fill(argc); table[argc]++; return table[1] == 0; }
E
gcc -O1 -g -fplugin="$PLUGIN" -o shared shared.c
cat >spoil.py <<'E'
import struct, sys
data = bytearray(open("shared", "rb").read())
at = data.find(struct.pack("<Q", 0xb35c71e9d80f2a6b))
place = at + struct.unpack_from("<i", data, at + 24)[0]
if at < 0 or data[place:place + 3] != bytes([0x0f, 0x1f, 0x84]): sys.exit(1)
data[place:place + 8] = b"\x90" * 8
open("spoiled", "wb").write(data)
E
it "a probe's no-op is there to be spoiled" python3 spoil.py
chmod +x spoiled
exits 0 "the spoiled program runs" perseus record -o spoiled.run --purpose=sharing ./spoiled
says "not what the .*compiler wrote" "its report says what is wrong with it" "$T/err"
silent "mprotect" "... and accuses nobody else" "$T/err"
exits 0 "the whole one runs" perseus record -o whole.run --purpose=sharing ./shared
silent "compiler wrote|incomplete" "... and nothing is said" "$T/err"
exits 2 "an unknown option is a usage error" perseus record --no-such-option ./probed
exits 2 "an unknown purpose is a usage error" perseus record --purpose=speed ./probed
says "timing, sharing or denormal" "that names the accepted ones" "$T/err"
exits 2 "a size of nothing is a usage error" perseus record --limit-mb=0 ./probed
exits 2 "no program is a usage error" perseus record
finish
