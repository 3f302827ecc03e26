# SPDX-License-Identifier: MIT
# The programs whose run time the benchmarks compare: real ones from Debian's
# sources, and two of the examples.  After tests/bench/lib.sh.  The script that
# reads this sets VARIANTS (of plain, calls, calls,memory) and defines
#   measure NAME PROGRAM ARGUMENT...
# for which each variant is built to $T/VARIANT/PROGRAM.
SRC=$O/foreign-src

# flags VARIANT
flags() { [ "$1" = plain ] || plugin_flags "$1"; }

# wanted PROGRAM: is one of the works in $only, if that is set, its work?
wanted() {
	for w in ${only:-$1}; do case $w in "$1"*) return 0 ;; esac; done
	return 1
}

# build PROGRAM COMMAND: for each variant, with $F its flags, $B where the program goes, in the source tree
build() {
	wanted "$1" || return 1
	for v in $VARIANTS; do
		F="-O2 -w $(flags $v)" B=$T/$v
		export F B T
		mkdir -p "$B"
		(cd "$D" && eval "$2") >"$T/log" 2>&1 || { echo "note: $1 does not build ($v): $(tail -n 1 "$T/log")"; return 1; }
	done
}

# tree PACKAGE: $D becomes its source
tree() { D=$(scripts/get-source.sh -x "$1" "$SRC") || { echo "note: no source of $1"; return 1; }; }

seq 1 250000 | awk '{ print $1, $1 * 7919 % 100003, "perseus" }' >"$T/input"
cat >"$T/t.lua" <<'X'
local which = arg[1]
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
if which == "fib" then print(fib(29))
elseif which == "sort" then local t = {} for i = 1, 150000 do t[i] = (i * 7919) % 100003 end table.sort(t) print(t[77])
elseif which == "string" then local n = 0 for i = 1, 150000 do local s = ("k" .. i):upper():sub(2) n = n + #s + (s:find("9") or 0) end print(n)
else local t = {} for i = 1, 300000 do t["a" .. (i % 5000)] = (t["a" .. (i % 5000)] or 0) + i end local s = 0 for _, v in pairs(t) do s = s + v end print(s) end
X
awk 'BEGIN { srand(7); print "p cnf 220 937"; for (i = 0; i < 937; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * int(1 + rand() * 220); print 0 } }' >"$T/p.cnf"


# each_program: builds every program, and measures each of its works
each_program() {
	# made by Debian's build, and what a script wants to be the same in each run
	printf '#define DEB_HOST_MULTIARCH "none"\n%s' "${lua_fixed-}" >"$T/lua5.4-deb-multiarch.h"
	if tree lua5.4 && build lua 'gcc $F -I$T -DLUA_USE_POSIX -o $B/lua $(ls src/*.c | grep -v luac) -lm'; then
		for w in fib sort string table; do measure "lua-$w" lua "$T/t.lua" $w; done
	fi
	if tree lz4 && build lz4 'gcc $F -Ilib -DXXH_NAMESPACE=LZ4_ -o $B/lz4 lib/*.c programs/*.c'; then
		measure lz4 lz4 -9 -c "$T/input"
	fi
	if tree bzip2 && build bzip2 'gcc $F -D_FILE_OFFSET_BITS=64 -o $B/bzip2 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c'; then
		measure bzip2 bzip2 -c "$T/input"
	fi
	if tree zlib && build zlib 'gcc $F -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -o $B/minigzip *.c test/minigzip.c'; then
		measure zlib minigzip -c "$T/input"
	fi
	if tree minisat2 && build minisat2 'g++ $F -std=gnu++11 -fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. -o $B/minisat minisat/core/*.cc minisat/utils/Options.cc minisat/utils/System.cc -lz ||
		g++ $F -std=gnu++11 -fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. -o $B/minisat core/*.cc utils/Options.cc utils/System.cc -lz'; then
		measure minisat2 minisat -verb=0 "$T/p.cnf"
	fi
	if tree libzstd && build zstd 'gcc $F -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -o $B/zstd lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c'; then
		measure zstd zstd -q -9 -c "$T/input"
	fi
	D=$(pwd)
	for e in imgapp signal; do
		if build $e 'gcc $F -falign-functions=64 -Iexamples/'$e' -o $B/'$e' examples/'$e'/*.c -lpthread -lm'; then
			measure $e $e 0.2
		fi
	done
}
