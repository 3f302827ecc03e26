#!/bin/sh
# SPDX-License-Identifier: MIT
# check-layers.sh FOLDER ALLOWED...: FOLDER may include only itself, ALLOWED
# (where `include` stands for perseus/*.h) and system headers.
folder=$1
shift
allowed=" $folder $* "
[ -d "$folder" ] || exit 0
find "$folder" -name '*.[ch]' -exec grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
sed 's/^\([^:]*\):[0-9]*:[^"]*"\([^"]*\)".*/\1 \2/' |
{
	bad=0
	while read -r file header; do
		case $header in
		perseus/*) top=include ;;
		*/*) top=${header%%/*} ;;
		*) continue ;;
		esac
		case $allowed in
		*" $top "*) ;;
		*)
			echo "$file: $folder/ may not include $top/ ($header)"
			bad=1
			;;
		esac
	done
	exit $bad
}
