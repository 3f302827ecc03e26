#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make tarball' makes: unpacked anywhere by anybody it finds its own parts and libraries,
# and a program of false sharing is built with it, recorded and judged.
. tests/lib.sh
exits 0 "make tarball" make -s O="$O" PREFIX="$(sed 's/.* //' "$O/obj/back-ends")" tarball
made=$(sed -n 's/^  \(.*\.tar\.xz\): .*/\1/p' "$T/out")
cp "$made" "$T/first.tar.xz"
name=$(basename "$made" .tar.xz)
chmod 755 "$T"
mkdir -m 777 "$T/any"
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$T/any"
cd "$T/any" || exit 1
it "anybody unpacks it" $as tar -xJf "$T/first.tar.xz"
P=$T/any/moved
mv "$name" moved

# Libraries other than the C library's come from inside; those of the build machine do not count.
for f in bin/perseus lib/perseus/libperseus-trap.so; do
	it "$f finds what it needs" sh -c '! ldd "$1" | grep "not found"' sh "$P/$f"
	ldd "$P/$f" | awk '$2 == "=>" { print $3 }' | grep -vE '/(libc|libm|libpthread|libdl|librt)\.so|/ld-linux' >"$T/libs"
	it "... inside" sh -c '[ -s "$1/libs" ] && ! grep -v "^$2/" "$1/libs"' sh "$T" "$P"
done
it "each library with its terms" sh -c 'n=$(ls "$1"/*.copyright | wc -l) && [ "$n" -gt 5 ]' sh "$P/lib/perseus/needed"
it "nothing in it that only root can use" sh -c '! ls -d "$1"/sbin "$1"/lib/systemd "$1"/src 2>/dev/null' sh "$P"
it "no file that not all can read" sh -c '! find "$1" ! -perm -444 ! -type l | grep .' sh "$P"
cat >meet.c <<C
#include <pthread.h>
#include "$OLDPWD/tests/together.h"
struct { long first; char apart[APART]; long second; } counts __attribute__((aligned(128)));
static void bump(volatile long *count, int me)
{
	do
		for (int i = 0; i < 100; i++)
			++*count;
	while (together_more(me, 0.05, 200));
}
static void *other(void *none) { bump(&counts.second, 1); return none; }
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, other, 0);
	bump(&counts.first, 0);
	return pthread_join(thread, 0);
}
C
cat >walk <<'W'
set -e
PATH=$1/bin:/usr/bin:/bin
for apart in 8 256; do
	gcc -O2 -g $(perseus flags) -DAPART=$apart -o meet-$apart meet.c -pthread
	perseus record -q --purpose=sharing -o run-$apart ./meet-$apart
	perseus conflicts --all run-$apart >said-$apart || [ $? = 5 ]
done
perseus build -- gcc -O2 -DAPART=8 -c -o built.o meet.c
readelf -SW built.o | grep -q '\.perseus\.sites'
perseus record -q --purpose=denormal --trap -o run-trap ./meet-8
W
it "a program is built, recorded and judged" $as sh walk "$P"
says 'false-sharing .*counts' "... with its finding" "$T/any/said-8"
silent 'false-sharing .*counts' "... and none in the twin" "$T/any/said-256"

# The same tree again, whatever the umask and the time.
cd "$OLDPWD" || exit 1
exits 0 "made again" sh -c 'umask 077 && exec make -s O="$1" PREFIX="$2" tarball' sh "$O" "$(sed 's/.* //' "$O/obj/back-ends")"
it "... it has the same bytes" cmp "$T/first.tar.xz" "$made"
finish
