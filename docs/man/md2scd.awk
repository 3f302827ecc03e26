# SPDX-License-Identifier: MIT
# The format page is Markdown whose tables a test reads; this turns it into
# scdoc for the manual page.  The third column, whose names cannot be broken,
# and the last one, the prose, get the width that the others leave.
/^```/ { literal = !literal; print; next }
literal { print; next }
{ gsub(/_/, "\\_"); gsub(/`[^`]*`/, "*&*"); gsub(/`/, "") }
/^\|[-: |]*\|$/ { next }
/^\|/ {
	n = split($0, cell, "|")
	for (i = 2; i < n; i++) {
		gsub(/^ +| +$/, "", cell[i])
		print (i == 2 ? (table ? "|[ " : "[[ ") : i == 4 || i == n - 1 ? ":< " : ":[ ") cell[i]
	}
	table = 1
	next
}
{ if (table && $0 != "") print ""; table = 0; print }
