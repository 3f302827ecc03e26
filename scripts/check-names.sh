#!/bin/sh
# SPDX-License-Identifier: MIT
# check-names.sh FOLDER...: a function that its file keeps to itself shares its name with
# at most three other files in these folders: a breakpoint, a profile or a search has to
# find it.  One that is more common begins with the name of its file, as public ones do.
for f; do ls "$f"/*.c 2>/dev/null; done | xargs awk '
	/^(__attribute__\(.*\)\) )?static .*\(/ {
		line = $0
		gsub(/__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", line)
		if (line ~ /[=;"].*\(/ && line !~ /^[^=;"]*\(/)
			next
		sub(/\(.*/, "", line)
		sub(/.*[ *]/, "", line)
		if (line != "" && !((line, FILENAME) in seen)) {
			seen[line, FILENAME] = 1
			files[line] = files[line] " " FILENAME
			n[line]++
		}
	}
	END {
		for (name in n)
			if (n[name] > 4) {
				print name "() is static in " n[name] " files, at most 4 are allowed:" files[name]
				bad = 1
			}
		exit bad
	}'
