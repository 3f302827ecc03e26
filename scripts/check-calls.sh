#!/bin/sh
# SPDX-License-Identifier: MIT
# check-calls.sh LAYERS ALLOWED OBJECTS: what the objects in the directory OBJECTS use of
# each other follows the table LAYERS (see check-layers.sh), too: a folder uses what it
# may include, and what that may.  `#include` alone does not show a function that is
# declared below and defined above.  The file ALLOWED has those that are meant: a line
# `FOLDER SYMBOL REASON` each, FOLDER is where it is defined; a line that nothing needs is an error.
# What runtime, the folders of runtime/denormal, runtime/flush and runtime/trial, gcc-plugin and verify link is their own; a folder
# arch/MACHINE is used as the contract that it fulfils.
find "$3" -name '*.o' -printf '%P\n' | grep -v '^static/\|^back-ends/' | sort | (cd "$3" && xargs nm -A -P) 2>/dev/null |
	awk -v layers="$1" -v allowed="$2" '
	# The folder with a line in the table that a path lies in, "" if there is none.
	function room(path) {
		while (sub(/\/[^\/]*$/, "", path))
			if (path in known)
				return path
		return ""
	}
	function top(folder) {
		if (folder ~ /^runtime\/(denormal|flush|trial)(\/|$)/)
			return folder
		sub(/\/.*/, "", folder)
		return folder ~ /^(runtime|gcc-plugin|verify)$/ ? folder : ""
	}
	# All that @from may use becomes may[from, ...].
	function spread(from, folder,   k, n, list, f) {
		n = split(known[folder], list, " ")
		for (k = 1; k <= n; k++)
			for (f in known)
				if ((f == list[k] || list[k] == f "/*" || (list[k] ~ /\*$/ && index(f, substr(list[k], 1, length(list[k]) - 1)) == 1)) && !((from, f) in may)) {
					may[from, f] = 1
					spread(from, f)
				}
	}
	BEGIN {
		while ((getline line < layers) > 0) {
			split(line, part, ": *")
			known[part[1]] = part[2] " "
		}
		for (f in known)
			spread(f, f)
		while ((getline line < allowed) > 0)
			if (line !~ /^(#|$)/) {
				split(line, part, " ")
				meant[part[1], part[2]] = line
			}
	}
	{
		path = $1
		sub(/:$/, "", path)
		sub(/^gcc-plugin-[0-9]*\/lib-/, "lib/", path)
		sub(/^gcc-plugin-[0-9]*\//, "gcc-plugin/", path)
		if (path != last) { # an object can outlive its source
			last = source = path
			sub(/\.o$/, ".c", source)
			there = (getline line < source) >= 0
			close(source)
			from = room(path)
		}
		if (!there || from == "")
			next
		if ($3 == "U")
			uses[++n] = from SUBSEP $2
		else if ($3 ~ /[TDBRVWC]/)
			home[top(from), $2] = home[top(from), $2] from " "
	}
	END {
		for (i = 1; i <= n; i++) {
			split(uses[i], part, SUBSEP)
			from = part[1]; symbol = part[2]
			if (!((top(from), symbol) in home) || ((from, symbol) in seen))
				continue
			seen[from, symbol] = 1
			good = 0
			split(home[top(from), symbol], list, " ")
			for (k = 1; k in list; k++)
				if (list[k] == from || ((from, list[k]) in may) || list[k] ~ /\/arch\/[^\/]*$/)
					good = 1
			if (!good && ((list[1], symbol) in meant)) {
				needed[list[1], symbol] = 1
				good = 1
			}
			if (!good) {
				printf "%s/ may not use %s/ (%s)\n", from, list[1], symbol
				bad = 1
			}
		}
		for (m in meant)
			if (!(m in needed)) {
				printf "%s: nothing needs the line `%s`\n", allowed, meant[m]
				bad = 1
			}
		exit bad
	}'
