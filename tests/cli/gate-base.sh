#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus gate: a base out of a revision, and a baseline out of a file.  Times are simulated.
. tests/lib.sh
export TMPDIR="$T/tmp" HOME="$T" GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir "$T/tmp" "$T/repo" && cd "$T/repo" || exit 1
cat >clock.c <<'E2'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	long cs = 0;
	FILE *f = clock == CLOCK_MONOTONIC ? fopen("time", "r") : NULL;

	if (!f || fscanf(f, "%ld", &cs) != 1)
		return (int)syscall(SYS_clock_gettime, clock, t);
	fclose(f);
	*t = (struct timespec){1000 + cs / 100, cs % 100 * 10000000};
	return 0;
}
E2
gcc -shared -fPIC -O1 -o clock.so clock.c || { echo "Bail out! cannot build"; exit 1; }
# `make.sh` makes `bin/bench`, which takes what `src/cs` says.
mkdir src
cat >src/make.sh <<'E2'
mkdir -p ../bin
{ echo '#!/bin/sh'; echo "cs=$(cat cs)"; echo 'read -r t <time; read -r n <count; echo $((n + 1)) >count'
  echo 'echo $((t + cs + n % 7)) >time; echo same $1'; } >../bin/bench
chmod +x ../bin/bench
E2
git init -q . && git config user.name t && git config user.email t@example.org || { echo "Bail out! no git"; exit 1; }
printf 'bin/\ntime\ncount\nclock.*\n*.json\n' >.gitignore
echo 10000 >src/cs
git add -A && git commit -qm base && git tag old
echo 10700 >src/cs
git commit -qam slower
(cd src && sh make.sh)
echo 0 >time
echo 0 >count
gate() { LD_PRELOAD=$PWD/clock.so perseus gate --max-load=100 --max-uneven=1000 "$@"; }

exits 1 "a revision that was faster" gate --base-rev=old --build="cd src && sh make.sh" -- bin/bench x
says "^slower: bin/bench takes 1\.0[67][0-9]* of the time of old" "is the base, by its name"
it "its tree is gone" sh -c '[ -z "$(ls "$TMPDIR")" ] && [ "$(git worktree list | wc -l)" = 1 ]'
exits 0 "the same revision" gate --base-rev=HEAD --build="cd src && sh make.sh" -- bin/bench
says "^ok: " "passes"
cp time count src
exits 0 "from a directory below" sh -c "cd src && LD_PRELOAD=$PWD/clock.so perseus gate --max-load=100 --max-uneven=1000 \
	--base-rev=HEAD --build='sh make.sh' -- ../bin/bench"
exits 4 "a revision that is none" gate --base-rev=nothing --build=true -- bin/bench
says "'nothing' is no revision of the git repository here" "is named" "$T/err"
exits 4 "an option for one" gate --base-rev=--all --build=true -- bin/bench
exits 4 "a build that fails" gate --base-rev=old --build="exit 7" -- bin/bench
says "the build of the base, 'exit 7', ends with status 7" "is named with its status" "$T/err"
exits 4 "a build that makes nothing" gate --base-rev=old --build=true -- bin/bench
says "makes no program 'bin/bench'" "is named with what is missing" "$T/err"
it "nothing is left of all that" sh -c '[ -z "$(ls "$TMPDIR")" ] && [ "$(git worktree list | wc -l)" = 1 ]'
exits 4 "a program outside of the repository" gate --base-rev=old --build=true -- /bin/true
exits 2 "a revision without a build" perseus gate --base-rev=old -- bin/bench
exits 2 "a build without a revision" perseus gate --build=true -- bin/bench
exits 2 "two bases" perseus gate --base=bin/bench --base-rev=old --build=true -- bin/bench

exits 0 "a baseline is made" gate --save-baseline=b.json -- bin/bench x
says "^saved: b.json, session 1, bin/bench takes 10[67] s .median of 30 runs.$" "and what it holds is said"
exits 5 "one session" gate --baseline=b.json -- bin/bench x
says "^cannot tell: " "does not tell how times differ"
says "save-baseline adds sessions" "and what would is said"
for i in 2 3 4 5 6; do gate --save-baseline=b.json -- bin/bench x >last 2>&1; done
says "session 6" "sessions add up" last
exits 0 "six that agree" gate --baseline=b.json -- bin/bench x
says "^ok: bin/bench takes [01]\.[0-9]* of the time of b.json \(.* 30 runs; limit 1\.050\)$" "tell"
says "less than a base program" "and say what they are worth"
sed -i 's/^cs=.*/cs=12000/' bin/bench
exits 1 "what takes longer now" gate --baseline=b.json -- bin/bench x
says "^slower: bin/bench takes 1\.1" "is slower"
sed 's/"cpu": ".*"/"cpu": "another"/' b.json >c.json
exits 5 "a baseline of another machine" gate --baseline=c.json -- bin/bench x
says "of another machine .another" "tells nothing"
exits 4 "nor takes a session of this one" gate --save-baseline=c.json -- bin/bench x
exits 4 "other arguments" gate --baseline=b.json -- bin/bench y
says "was measured with the arguments 'x', these are 'y'" "are named" "$T/err"
sed 's/"output": ".*"/"output": "00"/' b.json >c.json
exits 1 "other output is a mismatch" gate --baseline=c.json -- bin/bench x
exits 4 "a missing file" gate --baseline=none.json -- bin/bench x
head -c 300 b.json >c.json
exits 4 "a file cut short" gate --baseline=c.json -- bin/bench x
echo '{"schema": 1, "kind": "perseus gate baseline", "arguments": "x", "sessions": [{"median_seconds": -1}]}' >c.json
exits 4 "a session without a time" gate --baseline=c.json -- bin/bench x
echo '{"schema": 1}' >c.json
exits 4 "JSON of something else" gate --baseline=c.json -- bin/bench x
it "is not overwritten" sh -c '! perseus gate --save-baseline=c.json -- bin/bench x && [ "$(cat c.json)" = "{\"schema\": 1}" ]'
finish
