#!/bin/sh
# SPDX-License-Identifier: MIT
# A page in Firefox: every tab is drawn there, with the figures of the documents; pictures are kept in $O/pages.
. tests/lib.sh
top=$PWD
[ -x /usr/bin/firefox-esr ] && [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in Firefox" "no firefox-esr here"
	finish
}
cd "$T" || exit 1
it "a program builds" gcc -O1 -g $(perseus flags) -o work "$top/tests/page/work.c" -pthread
it "a timing run" perseus record -q ./work
it "a sharing run" perseus record -q --purpose=sharing --sharing=precise ./work
it "a page" perseus report --html page.html
it "all tabs are drawn" /usr/bin/python3 "$top/tests/page/firefox.py" page.html "$O/pages/firefox"
sed '/id="call_rows"/s/>H4sI/>H4sA/' page.html >damaged.html
it "a table that was damaged" sh -c '! cmp -s page.html damaged.html && ! /usr/bin/python3 "$1"/tests/page/firefox.py damaged.html "$2"' sh "$top" "$T/shots"
finish
