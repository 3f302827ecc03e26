# SPDX-License-Identifier: MIT
# Helpers of the scripts in this folder; source it after tests/lib.sh.
#
# Programs that were not written with Perseus in mind are built twice, plain and
# with nothing but -fplugin=perseus.so in their CFLAGS and CXXFLAGS.  Sources are
# Debian's, fetched once into $FOREIGN_SOURCES; a package that cannot be had is
# skipped, by name.  FOREIGN_KEEP=DIR builds there and leaves the trees.
src=${FOREIGN_SOURCES:-$O/foreign-src}
level=${FOREIGN_LEVEL:--O2}
jobs=${FOREIGN_JOBS:-2}
W=${FOREIGN_KEEP:-$T}
mkdir -p "$src" "$W"
flag=-fplugin=$PLUGIN

# package NAME: sets $tree to the unpacked source; skips the package otherwise
package() {
	if ! tree=$(scripts/get-source.sh -x "$1" "$src" 2>"$T/get.err"); then
		skip "$1 behaves the same" "$(tail -n 1 "$T/get.err")"
		return 1
	fi
}

# have TEXT TOOL...: skips TEXT unless every tool is installed
have() {
	text=$1
	shift
	for tool in "$@"; do
		command -v "$tool" >/dev/null || { skip "$text" "no $tool here"; return 1; }
	done
}

# unpack PACKAGE: a plain and a probed tree of it, as its authors released it
unpack() {
	tarball=$(scripts/get-source.sh "$1" "$src" 2>"$T/get.err" | grep -E '\.orig\.tar\.[a-z0-9]*$')
	[ -n "$tarball" ] || { skip "$1 behaves the same" "$(tail -n 1 "$T/get.err")"; return 1; }
	for v in plain probed; do
		rm -rf "$W/$1.$v"
		mkdir -p "$W/$1.$v"
		tar xf "$tarball" -C "$W/$1.$v" --strip-components=1 || return 1
	done
}

# chatter LOG: Perseus writes nothing into a build that does not concern it
chatter() { grep -E 'perseus(-gcc[0-9]*)?(\.so)?: |-Wperseus|internal compiler error' "$1" | sort | uniq -c | head -5; }

# warnings PACKAGE VARIANT: what the compiler had to say, whatever the order and the tree
warnings() { sed -n -E "s,$W/$1\.$2,,g; / (warning|error): /p" "$W/$1.$2.log" | sort; }

# build PACKAGE COMMAND: run in both trees, with $F the flags to use
build() {
	for v in plain probed; do
		F=$level
		[ $v = plain ] || F="$level $flag"
		start=$(date +%s)
		if ! (cd "$W/$1.$v" && export F jobs && eval "$2") >"$W/$1.$v.log" 2>&1; then
			not_ok "$1 builds ($v)" "$(tail -n 15 "$W/$1.$v.log")"
			return 1
		fi
		echo "# $1 $v: built in $(($(date +%s) - start)) s"
		chatter "$W/$1.$v.log" | sed 's/^/# /'
	done
	ok "$1 builds with the flag alone"
	warnings "$1" plain >"$T/warn.plain"
	warnings "$1" probed >"$T/warn.probed"
	if cmp -s "$T/warn.plain" "$T/warn.probed"; then ok "$1: the compiler warns of the same ($(wc -l <"$T/warn.plain") lines)"
	else not_ok "$1: the compiler warns of the same" "$(diff "$T/warn.plain" "$T/warn.probed" | head -10)"; fi
}

# same PACKAGE TEXT COMMAND: $BIN is the tree; stdout and status must agree
same() {
	for v in plain probed timing sharing; do
		case $v in
		plain | probed) BIN=$W/$1.$v wrap= ;;
		*) BIN=$W/$1.probed wrap="perseus record --purpose=$v --" ;;
		esac
		export BIN
		rm -rf "$T/out.$v"
		mkdir -p "$T/out.$v"
		(cd "$T/out.$v" && export wrap && eval "$3") >"$T/$v.txt" 2>"$T/$v.err"
		echo "status $?" >>"$T/$v.txt"
	done
	for v in probed timing sharing; do
		if cmp -s "$T/plain.txt" "$T/$v.txt"; then ok "$1: $2 ($v)"
		else not_ok "$1: $2 ($v)" "$(diff "$T/plain.txt" "$T/$v.txt" | head -5; tail -n 3 "$T/$v.err")"; fi
	done
	sed -n '1,3s/^/# /p' "$T/timing.err"
}

# recorded PACKAGE TEXT: after same(): both runs are there, whole, and every view of them works
recorded() {
	for v in timing sharing; do
		for run in "$T/out.$v"/perseus.data/*-[0-9]*; do
			case $v in timing) view=report ;; *) view=conflicts ;; esac
			perseus $view "$run" >"$T/view.txt" 2>"$T/view.err"
			status=$?
			case $status in
			0 | 1) [ -s "$T/view.txt" ] ;;
			*) false ;;
			esac && ok "$1: $2: perseus $view shows the run" ||
				not_ok "$1: $2: perseus $view shows the run" "status $status: $(head -n 5 "$T/view.err")"
		done
	done
}
