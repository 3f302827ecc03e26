# SPDX-License-Identifier: MIT
# debian/control of debian/control.in for the compilers `all' of a release, `own' its default:
# what stands between @EACH and @ is there once for each of them, as N, @OWN for that one.
function times(text,    n, i, part, one, sum) {
	n = split(all, part, " ")
	for (i = 1; i <= n; i++) {
		one = text
		gsub(/gcc-N/, "gcc-" part[i], one)
		gsub(/g\+\+-N/, "g++-" part[i], one)
		gsub(/GCC N/, "GCC " part[i], one)
		sum = sum one
	}
	return sum
}
/^@EACH$/ { block = 1; next }
/^@$/ { printf "%s", times(text); block = 0; next }
block { text = text $0 "\n"; next }
/^ @EACH .*@$/ { printf "%s", times(substr($0, 7, length($0) - 7) "\n"); next }
{
	gsub(/@OWN gcc-N-plugin-perseus@/, "gcc-" own "-plugin-perseus")
	print
}
