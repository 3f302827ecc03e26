# SPDX-License-Identifier: MIT
# Helpers of the benchmarks.  A figure is a line
#   figure NAME value=V goal<=G ok|short  (peer ...)
# and a topic ends with the count of `short`.  A benchmark reports; it never
# fails the build.
: "${O:=$(pwd)/build}"
O=$(cd "$O" && pwd) || exit 3
PATH=$O/bin:$PATH
T=$(mktemp -d "${TMPDIR:-/tmp}/perseus-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT
. tests/compiler.sh
PLUGIN=$O/lib/perseus.so
export LC_ALL=C
short=0
figures=0

# figure NAME VALUE GOAL [NOTE]: GOAL empty: no goal
figure() {
	figures=$((figures + 1))
	if [ -z "$2" ]; then
		echo "figure $1 value=absent short${4:+  ($4)}"
		short=$((short + 1))
		return
	fi
	if [ -z "$3" ]; then
		echo "figure $1 value=$2 ${4:+ ($4)}"
		return
	fi
	if awk -v v="$2" -v g="$3" 'BEGIN { exit !(v <= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=$2 goal<=$3 $word${4:+  ($4)}"
}

# value NAME: of a line "name value" in $T/figures
value() { awk -v n="$1" '$1 == n {print $2}' "$T/figures"; }
# at_least NAME GOAL: more is better, which figure() does not know
at_least() {
	figures=$((figures + 1))
	if awk -v v="$(value "$1")" -v g="$2" 'BEGIN { exit !(v >= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=$(value "$1") goal>=$2 $word${3:+  ($3)}"
}

# plugin_flags PROBE: the flags of all benchmarks that compile with probes
plugin_flags() { echo "-fplugin=$PLUGIN -fplugin-arg-perseus-probe=$1"; }

# plugin_line: which plugin and which flags the figures are of
plugin_line() {
	back_end=$O/lib/perseus-gcc$(gcc -dumpversion | cut -d. -f1).so
	echo "plugin $(basename "$back_end") $(sha256sum <"$back_end" | cut -c1-12), -O2 -fplugin-arg-perseus-probe=MODE"
}

# median: of the numbers on stdin, one a line
median() { sort -g | awk '{a[NR] = $1} END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }

load_note() {
	awk '$1 > 0.7 { printf "note: load average %s, figures may be off\n", $1 }' /proc/loadavg
}

finish_bench() { echo "$figures figures, $short short"; }
