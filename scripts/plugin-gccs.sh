#!/bin/sh
# SPDX-License-Identifier: MIT
# plugin-gccs.sh CC: for each GCC from 11 on that plugins can be built for print
#
#   MAJOR:COMPILER:PLUGIN_FOLDER:CXX
#
# one line a version, newest last: CC first of all, then every gcc-N on PATH.
# CXX is the g++ that compiles against those headers: g++-MAJOR, or else the g++
# that comes with CC.
# plugin-gccs.sh --missing CC: say in one line each which are left out, and why.
missing=
[ "$1" = --missing ] && missing=yes && shift
cc=${1:-gcc}

# without MAJOR REASON
without() { [ -n "$missing" ] && echo "$1:  no back end for GCC $1: $2"; }

describe() {
	# -dumpversion alone may be cut to the major number; clang answers with one of its own.
	"$1" --version 2>/dev/null | grep -qi clang && return
	major=$("$1" -dumpversion 2>/dev/null) || return
	major=${major%%.*}
	case $major in '' | *[!0-9]*) return ;; esac
	[ "$major" -ge 11 ] || { without $major "11 is the oldest that Perseus knows"; return; }
	target=$("$1" -dumpmachine)
	case $target in x86_64-* | amd64-*) ;; *) without $major "it makes code for $target, probes are for x86-64"; return ;; esac
	dir=$("$1" -print-file-name=plugin)
	[ -e "$dir/include/gcc-plugin.h" ] ||
		{ without $major "no plugin headers of $1 (Debian: apt-get install gcc-$major-plugin-dev)"; return; }
	cxx=g++
	command -v "g++-$major" >/dev/null && cxx=g++-$major
	echo "$major:$1:$dir:$cxx"
}

{
	describe "$cc"
	IFS=:
	for folder in $PATH; do
		for gcc in "$folder"/gcc-[1-9]*; do
			name=${gcc##*/gcc-}
			case $name in *[!0-9]*) continue ;; esac
			[ -x "$gcc" ] && describe "gcc-$name"
		done
	done
} | awk -F: '!seen[$1]++' | sort -t: -k1,1n | {
	[ -n "$missing" ] || exec cat
	sed -n 's/^[0-9]*:  no back/  no back/p'
}
