#!/bin/sh
# SPDX-License-Identifier: MIT
# GNU binutils (autotools, C; gold: C++; ld opens plugins; -Werror): its own tests
# give the same results without the runtime and with every probe live, and its
# tools write the same bytes under `perseus record`.
#
# FOREIGN_SUITES names the test suites (default: "gas binutils ld").
. tests/lib.sh
. tests/foreign/common.sh
suites=${FOREIGN_SUITES:-gas binutils ld}
have "binutils behaves the same" runtest bison flex || { finish; exit; }
package binutils || { finish; exit; }

sum_file() { case $2 in gas) echo "$1/gas/testsuite/gas.sum" ;; *) echo "$1/$2/$2.sum" ;; esac; }

# What the suites themselves say, one line a case; directories and times left out.
results() {
	for s in $suites; do
		sed -n -E "s,$W/binutils\.(plain|probed),,g; /^(PASS|FAIL|XPASS|XFAIL|KFAIL|UNRESOLVED|UNSUPPORTED|UNTESTED|ERROR|WARNING): /p" "$(sum_file "$1" "$s")"
	done
}

# one_suite TREE SUITE COMMAND...: the suites compare bytes that were made of small
# programs, which therefore are compiled without the plugin, like everybody's input
one_suite() {
	(
		cd "$1" && s=$2
		shift 2
		rm -f "$(sum_file . "$s")"
		exec "$@" make -k "check-$s" MAKEINFO=true CFLAGS_FOR_TARGET="-g -O2" CXXFLAGS_FOR_TARGET="-g -O2"
	) >"$1.check-$2.log" 2>&1 </dev/null
}
# suite TREE PURPOSE: runs the suites there at the same time, recorded unless PURPOSE is -
suite() {
	for s in $suites; do
		case $2 in
		-) one_suite "$1" "$s" env & ;;
		*)
			rm -rf "$W/run.$2.$s"
			one_suite "$1" "$s" perseus record -q --purpose="$2" -o "$W/run.$2.$s" -- &
			;;
		esac
	done
	wait
	results "$1"
}

agree() {
	if [ ! -s "$T/sum.$1" ]; then not_ok "its tests give the same results ($1)" "no result: $(tail -n 5 "$2".check-*.log)"
	elif cmp -s "$T/sum.plain" "$T/sum.$1"; then ok "its tests give the same results ($1: $(count "$1"))"
	else not_ok "its tests give the same results ($1)" "$(diff "$T/sum.plain" "$T/sum.$1" | head -20)"; fi
}
# many_processes PURPOSE: the record of thousands of short processes can be read, and names them
many_processes() {
	s=${suites%% *}
	run=$W/run.$1.$s
	echo "# $1: check-$s left $(find "$run" -name '*.prec' | wc -l) records, $(du -sm "$run" | cut -f1) MB"
	exits 0 "check-$s, $1: perseus report reads the run" perseus report "$run"
	says "run .*[0-9] thread" "check-$s, $1: and names its threads"
	rm -rf "$W/run.$1".*
}
count() { cut -d: -f1 "$T/sum.$1" | sort | uniq -c | awk '{ printf "%s%d %s", n++ ? ", " : "", $1, $2 }'; }

source_tree=$tree
for v in plain probed; do mkdir -p "$W/binutils.$v"; done
build binutils "$source_tree/configure -q --disable-gdb --disable-gdbserver --disable-sim --disable-gprofng \
	--disable-nls --enable-gold --enable-plugins --enable-werror CFLAGS=\"\$F\" CXXFLAGS=\"\$F\" &&
	make -s -j\$jobs MAKEINFO=true all-gas all-binutils all-ld all-gold" || { finish; exit; }

suite "$W/binutils.plain" - >"$T/sum.plain"
echo "# plain: $(count plain)"
suite "$W/binutils.probed" - >"$T/sum.dormant"
agree dormant "$W/binutils.probed"
for v in timing sharing; do
	suite "$W/binutils.probed" $v >"$T/sum.$v"
	agree $v "$W/binutils.probed"
	many_processes $v
done

gcc -O2 -g -S -o "$T/in.s" -I"$W/binutils.plain/gas" -I"$W/binutils.plain/bfd" -I"$source_tree/gas" -I"$source_tree/gas/config" \
	-I"$source_tree/include" -I"$source_tree/bfd" -I"$source_tree" -DHAVE_CONFIG_H '-DLOCALEDIR="/"' "$source_tree/gas/config/tc-i386.c"
IN=$T/in.s
export IN
same binutils "as, nm, objdump and objcopy" '$wrap $BIN/gas/as-new -o a.o $IN; echo $?; cksum <a.o
	$wrap $BIN/binutils/nm-new -n a.o | cksum; $wrap $BIN/binutils/objdump -dr a.o | cksum
	$wrap $BIN/binutils/objcopy --compress-debug-sections a.o b.o; echo $?; cksum <b.o'
recorded binutils "its tools"
cat >"$T/hello.cc" <<'CC'
#include <iostream>
#include <thread>
#include <map>
int main() { std::map<int, int> m; std::thread t([&] { for (int i = 0; i < 100; i++) m[i * 7919 % 101] = i; }); t.join();
	for (auto &p : m) std::cout << p.first << ' ' << p.second << '\n'; }
CC
g++ -g -c -o "$T/hello.o" "$T/hello.cc"
g++ -flto -c -o "$T/hello-lto.o" "$T/hello.cc"
export T
for linker in ld gold; do
	case $linker in ld) new=ld/ld-new ;; gold) new=gold/ld-new ;; esac
	export new
	# gcc -B looks for a program called ld there: a script that puts the recorder in front
	same binutils "$linker links C++, with threads and by its LTO plugin" 'mkdir b; printf "#!/bin/sh\nexec $wrap $BIN/$new \"\$@\"\n" >b/ld; chmod +x b/ld
		g++ -Bb/ -o a.out $T/hello.o -lpthread && ./a.out && cksum <a.out
		g++ -Bb/ -flto -o l.out $T/hello-lto.o && ./l.out | cksum'
	recorded binutils "$linker"
done
finish
