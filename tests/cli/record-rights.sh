#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a recording is put, and who can read it: it has addresses of the process.
. tests/lib.sh
umask 002
cat >"$T/p.c" <<'EOP'
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i ^ n; return s; }
int main(int argc, char **argv) { int s = 0; (void)argv; for (int i = 0; i < 1000; i++) s += work(i * argc); return s == 42; }
EOP
# shellcheck disable=SC2046
it "a program builds" gcc -O1 -g $(perseus flags) "$T/p.c" -o "$T/p"
cd "$T" || exit 1
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "expected '$2', found '$3'"; fi; }
modes() { find "$@" -printf '%m %f\n' | sed 's/[0-9]*\.[0-9]*\././' | sort -u | tr '\n' ','; }
record() { perseus record -q "$@" ./p >"$T/out" 2>"$T/err"; }
# refused PATTERN TEXT [OPTION...]
refused() {
	pattern=$1 r_text=$2
	shift 2
	exits 125 "$r_text: refused" perseus record -q "$@" ./p
	says "$pattern" "... for that" "$T/err"
}

it "a run is recorded" record --trace
is "nobody else reads a record" "600 .prec,600 .sums," "$(modes perseus.data/last/ '(' -name '*.prec' -o -name '*.sums' ')')"
is "... or a trace" "600" "$(find perseus.data/last/trace -name '*.*' -printf '%m\n' | sort -u)"
is "nobody else writes into a run, whatever the umask" "755 p-1,755 perseus.data," "$(modes perseus.data -maxdepth 1 -type d)"
it "a second one is put beside it" record
it "... and is the last" test "$(readlink perseus.data/last)" = p-2

chmod g+w perseus.data
refused 'perseus.data.* others can write there' "a folder of runs that the group can write"
chmod o+w,g-w perseus.data
refused 'perseus.data.* others can write there' "... that all can write"
chmod o-w perseus.data
it "... nobody else any more" record
mv perseus.data real
ln -s real perseus.data
refused 'perseus.data.* symbolic link' "a folder of runs that is a link"
is "... which nothing was put behind" 3 "$(find real -maxdepth 1 -name 'p-*' -type d | wc -l)"
it "-o does without the folder" record -o named
is "... and lets nothing behind the link lead to it" p-3 "$(readlink real/last)"
rm perseus.data
mv real perseus.data
echo >file
mv perseus.data real
mv file perseus.data
exits 125 "a file in its place: refused" perseus record -q ./p
rm perseus.data
mv real perseus.data

mkdir empty
chmod g+w empty
refused "'empty' .*others can write there" "-o of a folder that others can write" -o empty
chmod g-w empty
ln -s empty link
refused "'link' .*symbolic link" "-o of a link" -o link
it "-o of an empty folder of our own" record -o empty

if [ "$(id -u)" = 0 ]; then
	chown 65534 perseus.data
	refused 'perseus.data.* belongs to user 65534' "a folder of runs of somebody else"
	chown 0 perseus.data
	it "... of our own again" record
else
	skip "a folder of runs of somebody else" "only root can give one away"
fi
finish
