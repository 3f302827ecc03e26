#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run: what a test may do, and what is said of it.
. tests/lib.sh
run=$PWD/tests/run
mkdir "$T/o"
script() { cat >"$T/$1.sh" && chmod +x "$T/$1.sh"; }
script good <<'E2'
#!/bin/sh
echo ok 1
echo "ok 2 - no # SKIP not here"
E2
script bad <<'E2'
#!/bin/sh
echo ok 1
echo not ok 2
E2
script short <<'E2'
#!/bin/sh
echo 1..3
echo ok 1
E2
script silent <<'E2'
#!/bin/sh
exit 0
E2
script leaves <<'E2'
#!/bin/sh
echo ok 1
exit 7
E2
script hangs <<'E2'
#!/bin/sh
echo ok 1
sleep 600
E2
# Ends what runs it, as somebody who kills by name might.
script ends <<'E2'
#!/bin/sh
echo ok 1
kill -9 "$(awk '{ print $4 }' /proc/$PPID/stat)"
E2
# Ends all of them: xargs, the parent of what runs it.
script ends-all <<'E2'
#!/bin/sh
echo ok 1
one=$(awk '{ print $4 }' /proc/$PPID/stat)
kill -9 "$(awk '{ print $4 }' "/proc/$one/stat")" "$one"
E2
try() { (cd "$T" && env -u TEST_LOGS O="$T/o" TEST_JOBS=1 TEST_TIMEOUT=2 "$run" "$@"); }

exits 0 "a good one" try ./good.sh
says '^1 passed, 0 failed, 1 skipped$' "is counted"
says '^skipped: ./good.sh: not here$' "what it skipped is named"
for t in bad:'FAILED: ./bad.sh: not ok 2' short:'only 1 of 3 results' silent:'printed no result' leaves:'exit status 7' \
	hangs:'timed out' ends:'ended from outside'; do
	exits 1 "${t%%:*}" try ./good.sh ./${t%%:*}.sh
	says "${t#*:}" "is a failure with its cause"
	says ' 1 failed, 1 skipped$' "... one"
done
exits 1 "one that ends them all" try ./good.sh ./ends-all.sh ./bad.sh
says '^1 passed, 2 failed, 1 skipped$' "those that were not run are failures, too"
finish
