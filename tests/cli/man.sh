#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of the manual pages' examples, of README.md and of docs/commands.md: none of them is a usage error,
# wherever it is run.  What they name is mostly not there, which has other statuses.
. tests/lib.sh
top=$PWD
real=$(command -v perseus)
mkdir "$T/bin" "$T/here"
cat >"$T/bin/perseus" <<W
#!/bin/sh
# A calibration measures for seconds, which is tested elsewhere.
case "\$*" in calibrate*--list | calibrate*--sysroot*) ;; calibrate*) exit 0 ;; esac
"$real" "\$@" </dev/null 2>"$T/words"
status=\$?
echo "\$*" >>"$T/ran"
# build and record end with the status of what they ran.
! grep -q 'help shows how it is used' "$T/words" || echo "perseus \$*" >>"$T/usage"
cat "$T/words" >&2
exit \$status
W
chmod 755 "$T/bin/perseus"
for other in vim make cmake dpkg-buildpackage cbc; do ln -s /bin/true "$T/bin/$other"; done
PATH=$T/bin:$PATH
cp tests/planner/models/float.yaml "$T/here/model.yaml"
cp tests/planner/models/float.yaml "$T/here/float.yaml"
(
	cd "$T/here" || exit 1
	tar -xzf "$top/tests/record/golden/1.3-timing.tar.gz"
	tar -xzf "$top/tests/record/golden/1.3-sharing.tar.gz"
	mkdir perseus.data
	mv 1.3-timing perseus.data/radar-3
	mv 1.3-sharing perseus.data/radar-2
	ln -s radar-3 perseus.data/last
	ln -s radar-3 perseus.data/last-timing
	ln -s radar-2 perseus.data/last-sharing
	perseus plan -p xeon-e5320 --objective=energy
	perseus codegen
	cp plan.yaml old.yaml
) >"$T/prepared" 2>&1
rm -f "$T/usage" "$T/ran"

# commands FILE: those of a page or of a README, continued lines joined
commands() {
	case $1 in
	*.scd) awk '/^```/ { on = !on; next } on' "$1" | sed -n 's/^\$ //p; /\\\\*$/{ n; s/^  *\([^$]\)/ \1/p; }' ;;
	*) sed -n 's/^    \(perseus .*\)/\1/p' "$1" | sed 's/  *# .*//' ;;
	esac | sed 's/\\\\$/\\/' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | grep -E '(^|[( ])perseus( |$)|^[a-z]*='
}
for page in docs/man/perseus.1.scd docs/man/perseus-*.1.scd README.md docs/commands.md; do
	commands "$page" >"$T/list"
	[ -s "$T/list" ] || continue
	rm -f "$T/usage"
	(cd "$T/here" && timeout 120 sh "$T/list") >>"$T/said" 2>&1 </dev/null
	if [ -e "$T/usage" ]; then not_ok "no example of ${page##*/} is a usage error" "$(cat "$T/usage")"
	else ok "no example of ${page##*/} is a usage error"; fi
done
it "examples were run" test "$(wc -l <"$T/ran")" -ge 50
# The twin: one that is wrong is found.
perseus report --no-such-option >/dev/null 2>&1
it "a wrong one is noticed" grep -q 'report --no-such-option' "$T/usage"

for verb in $(sed -n 's/^[[:space:]]*X(\([a-z]*\)).*/\1/p' cmd/verbs.h); do
	"$real" help "$verb" >"$T/out" 2>"$T/err"
	it "perseus help $verb shows its help" grep -q "^usage: perseus $verb" "$T/out"
done
exits 2 "help for nothing" "$real" help nothing
finish
