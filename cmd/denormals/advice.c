/* SPDX-License-Identifier: MIT */
#include "cmd/denormals/advice.h"

#include <string.h>
#include <unistd.h>

#include "cmd/denormals/region.h"
#include "lib/mem.h"

#define TRIES 8 /* functions, before it is said that flush-to-zero cannot be tried in one */

void flush_advice_find(struct denormal_report *r)
{
	const char *program = r->run->counts.files.n ? r->run->counts.files.at[0].exe : NULL, *function;
	struct err first = ERR_INIT;

	if (!program || access(program, R_OK))
		return;
	for (size_t i = 0; i < TRIES && !r->flush_in && (function = denormal_report_function(r, i)); i++) {
		struct strbuf region = STRBUF_INIT;
		struct err err = ERR_INIT;

		if (!region_find(program, function, &region, &err))
			r->flush_in = function;
		else if (!i)
			first = err;
		strbuf_release(&region);
	}
	if (!r->flush_in && *first.msg)
		r->no_flush = mem_strndup(first.msg, strcspn(first.msg, "\n"));
}
