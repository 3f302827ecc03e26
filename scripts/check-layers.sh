#!/bin/sh
# SPDX-License-Identifier: MIT
# check-layers.sh LAYERS: each line of the file LAYERS is `FOLDER: FOLDER...`: what a
# folder may include beside itself (`include` stands for perseus/*.h) and system headers;
# `FOLDER/*` is the folder and all in it.
# No folder may get back to itself over those that it may include.
# A folder inside another that has a line of its own is a folder of its own; else it
# belongs to the one that it lies in.
find $(sed 's/:.*//; s,/.*,,' "$1" | sort -u) -name '*.[ch]' -exec grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + 2>/dev/null |
	sed -E 's/^([^:]*):([0-9]*):[^"]*"([^"]*)".*/\1 \2 \3/' |
	awk -v layers="$1" '
	# The folder with a line in the table that a path lies in, "" if there is none.
	function room(path) {
		while (sub(/\/[^\/]*$/, "", path))
			if (path in known)
				return path
		return ""
	}
	# The folder, or one above it with all that it holds.
	function allowed(from, to) {
		if ((from, to) in may)
			return 1
		do
			if ((from, to "/*") in may)
				return 1
		while (sub(/\/[^\/]*$/, "", to))
		return 0
	}
	# From @at on @from is reached again by what folders may include.
	function comes_back(from, at,   to) {
		for (to in known)
			if (to != at && allowed(at, to)) {
				if (to == from)
					return 1
				if (!((from, to) in way)) {
					way[from, to] = 1
					if (comes_back(from, to))
						return 1
				}
			}
		return 0
	}
	BEGIN {
		while ((getline line < layers) > 0) {
			split(line, part, ": *")
			known[part[1]] = 1
			n = split(part[2], list, " ")
			for (i = 1; i <= n; i++)
				may[part[1], list[i]] = 1
		}
		for (folder in known)
			if (comes_back(folder, folder)) {
				printf "%s/ may include folders that may include it\n", folder
				bad = 1
			}
		known["perseus"] = 1
	}
	{
		from = room($1)
		if ($3 !~ /\//)
			next
		to = room($3)
		if (to == "")
			to = substr($3, 1, index($3, "/") - 1)
		if (to == "perseus")
			to = "include"
		if (to != from && !allowed(from, to)) {
			printf "%s:%d: %s/ may not include %s/ (%s)\n", $1, $2, from, to, $3
			bad = 1
		}
	}
	END { exit bad }'
