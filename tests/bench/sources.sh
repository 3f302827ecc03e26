# SPDX-License-Identifier: MIT
# Real source files for the benchmarks of compile time, preprocessed once into
# $O/bench-src so that each measurement reads one file and nothing else.  They
# are Debian's packages (scripts/get-source.sh), at the versions that apt gives.
# After tests/bench/lib.sh.
BENCH_SRC=$O/bench-src
BENCH_FILES="zstd_compress.i git_diff.i libbpf.i bfd_elflink.i leveldb_version_set.ii gold_script.ii"
mkdir -p "$BENCH_SRC"

# tree PACKAGE: the folder of its unpacked source; fails with a message
tree() { scripts/get-source.sh -x "$1" "$O/foreign-src"; }

# configured FOLDER SOURCE: an out-of-tree build folder below $BENCH_SRC, configured
configured() {
	[ -e "$BENCH_SRC/$1/config.h" ] && return
	mkdir -p "$BENCH_SRC/$1" && (cd "$BENCH_SRC/$1" && "$2/configure" -q --disable-nls) >"$BENCH_SRC/$1.log" 2>&1
}

# The preprocessed text of one of BENCH_FILES on stdout.
preprocess() {
	case $1 in
	zstd_compress.i)
		d=$(tree libzstd) && gcc -E -O2 "-I$d/lib" "$d/lib/compress/zstd_compress.c"
		;;
	git_diff.i)
		d=$(tree git) && gcc -E -O2 "-I$d" -DSHA1_DC -DSHA1DC_NO_STANDARD_INCLUDES \
		  -DSHA1DC_INIT_SAFE_HASH_DEFAULT=0 -DSHA1DC_CUSTOM_INCLUDE_SHA1_C='"git-compat-util.h"' \
		  -DSHA256_BLK -DHAVE_SYSINFO -DNO_OPENSSL "$d/diff.c"
		;;
	libbpf.i)
		d=$(tree libbpf) && gcc -E -O2 "-I$d/include" "-I$d/include/uapi" "-I$d/src" \
		  -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 "$d/src/libbpf.c"
		;;
	bfd_elflink.i)
		d=$(tree binutils) && configured bfd "$d/bfd" &&
		  make -s -C "$BENCH_SRC/bfd" bfd.h bfdver.h targmatch.h >/dev/null 2>&1 &&
		  gcc -E -O2 -DHAVE_CONFIG_H "-I$BENCH_SRC/bfd" "-I$d/bfd" "-I$d/include" "$d/bfd/elflink.c"
		;;
	leveldb_version_set.ii)
		d=$(tree leveldb) && g++ -E -O2 "-I$d" "-I$d/include" -DLEVELDB_PLATFORM_POSIX=1 "$d/db/version_set.cc"
		;;
	gold_script.ii)
		d=$(tree binutils) && configured gold "$d/gold" &&
		  g++ -E -O2 -DHAVE_CONFIG_H -D_GNU_SOURCE "-I$BENCH_SRC/gold" "-I$d/gold" "-I$d/include" \
		    "-I$d/elfcpp" "$d/gold/script.cc"
		;;
	esac
}

# have_source NAME: makes $BENCH_SRC/NAME unless it is there; fails if that cannot be done
have_source() {
	[ -s "$BENCH_SRC/$1" ] && return
	preprocess "$1" >"$BENCH_SRC/$1.new" && [ -s "$BENCH_SRC/$1.new" ] &&
	  mv "$BENCH_SRC/$1.new" "$BENCH_SRC/$1"
}
