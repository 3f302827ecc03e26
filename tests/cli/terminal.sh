#!/bin/sh
# SPDX-License-Identifier: MIT
# Colours and the pager: on a terminal, and nowhere else.
. tests/lib.sh
unset NO_COLOR PERSEUS_PAGER PAGER LESS
top=$PWD
command -v python3 >/dev/null || { skip "terminals" "no python3"; finish; exit; }
cd "$T" || exit 1
tar -xzf "$top/tests/record/golden/1.3-threads.tar.gz"
cat >terminal.py <<'P'
# Run a command on a terminal of 100 columns; its output, and its status in the last line.
import os, pty, sys, fcntl, termios, struct
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(os.environ.get("WIDTH", 100)), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
sys.stdout.flush()
print("\nstatus", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
on() { TERM=xterm python3 terminal.py "$@"; }
export PERSEUS_PAGER="sed s/^/P:/"
exits 0 "report on a terminal" on perseus report 1.3-threads
says '^P:trust' "goes through the pager"
says '^status 0$' "... with its status"
exits 0 "an error" on perseus report none
says "^P:perseus report: there is no run 'none'" "... too"
says '^status 4$' "... with its status"
exits 0 "help" on perseus help waits
says '^P:usage: perseus waits' "... too"
exits 0 "what runs programs" on perseus doctor
silent '^P:' "does not"
exits 0 "nor does report into a file" perseus report 1.3-threads
silent '^P:' "..."
PERSEUS_PAGER=cat exits 0 "the pager cat" on perseus report 1.3-threads
silent '^P:' "is none"
unset PERSEUS_PAGER
PAGER="sed s/^/Q:/" exits 0 "PAGER" on perseus report 1.3-threads
says '^Q:trust' "is taken in its place"
PERSEUS_PAGER='sh -c "echo LESS=\$LESS; cat >/dev/null"' exits 0 "a pager" on perseus report 1.3-threads
says '^LESS=FRX$' "ends by itself where all fits, and shows colours"
PERSEUS_PAGER='true' exits 0 "a pager that leaves early" on perseus report 1.3-threads
PERSEUS_PAGER='/none/such' exits 0 "one that is not there" on perseus report 1.3-threads
says '^trust' "is no reason to show nothing"
says '^status 0$' "..."

esc=$(printf '\033')
exits 0 "doctor on a terminal" on perseus doctor
says "$esc\[" "has colours"
exits 0 "... not with --color=never" on perseus doctor --color=never
silent "$esc" "..."
exits 0 "... nor in front of the verb" on perseus --color=never doctor
silent "$esc" "..."
NO_COLOR=1 exits 0 "... nor with NO_COLOR" on perseus doctor
silent "$esc" "..."
NO_COLOR='' exits 0 "an empty NO_COLOR" on perseus doctor
says "$esc\[" "is none"
exits 0 "into a file" perseus doctor
silent "$esc" "there is no colour"
exits 0 "... but with --color=always" perseus doctor --color=always
says "$esc\[" "..."
exits 2 "another colour" perseus doctor --color=blue
says "'blue': expected auto, always or never" "... is refused"
for verb in $(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' "$top/cmd/verbs.h"); do
	exits 0 "$verb takes --color" perseus "$verb" --color=never --help
done
gcc -O1 -fplugin="$PLUGIN" -xc -o prog - <<'C'
#include <stdio.h>
static __attribute__((noinline)) int say(int i, char **v) { return puts(v[i]); }
int main(int argc, char **argv) { for (int i = 1; i < argc; i++) say(i, argv); return 0; }
C
exits 0 "a program's words" perseus record -q ./prog --color=blue
says '^--color=blue$' "... are its own"
WIDTH=70 PERSEUS_PAGER=cat exits 0 "a source on a terminal of 70 columns" on perseus annotate "work.c:95" 1.3-threads
cp "$top/tests/record/golden/work.c" .
WIDTH=70 PERSEUS_PAGER=cat on perseus annotate work.c:95 1.3-threads | sed -n '/line$/,/^$/p' >narrow
it "... is cut to them" sh -c 'test -s narrow && ! grep -q ".\{71\}" narrow'
cd "$top" || exit 1
finish
