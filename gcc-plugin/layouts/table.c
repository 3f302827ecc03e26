/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .perseus.layouts (perseus/triggers.h): what this unit has of the plan's layouts, for whoever
 * reads the program later.  A top-level asm, so that under -flto it goes with the stream.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/text.h"
#include "gcc-plugin/layouts/layouts.h"
#include "perseus/triggers.h"

/* With %XX for what would end a field. */
void layouts_percent(struct text *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= 0x20 || c == 0x7f || c == '%')
			text_add(out, "%%%02x", c);
		else
			text_bytes(out, s, 1);
	}
}

void layouts_list(const char *lines)
{
	struct text out = {NULL, 0, 0};

	text_str(&out, "\t.pushsection\t" PRS_LAYOUTS_SECTION ",\"\",@progbits\n\t.ascii\t\"");
	text_quoted(&out, lines);
	text_str(&out, "\"\n\t.popsection\n");
	symtab->finalize_toplevel_asm(build_string((int)out.n + 1, text_get(&out)));
	text_release(&out);
}

void layouts_tell(void)
{
	struct text list = {NULL, 0, 0};

	for (unsigned i = 0; i < prs_plan.layouts.length(); i++) {
		if (!prs_plan.layouts[i].found)
			continue;
		text_add(&list, "%s ", prs_plan.layouts[i].text);
		layouts_percent(&list, name_of_unit());
		text_str(&list, "\n");
	}
	if (list.n)
		layouts_list(list.s);
	text_release(&list);
}
