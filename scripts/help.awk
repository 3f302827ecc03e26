# SPDX-License-Identifier: MIT
# make help: the targets of lines `.PHONY: TARGET ## WHAT IT IS FOR'.
/^\.PHONY: [a-z0-9-]+ ## / {
	text = $0
	sub(/^[^#]*## /, "", text)
	printf "  make %-22s %s\n", $2, text
}
