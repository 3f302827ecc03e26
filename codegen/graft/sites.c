/* SPDX-License-Identifier: MIT */
/* In how many instances a site exists: a graft acts in all of them. */
#include <errno.h>
#include <string.h>

#include "codegen/graft/find.h"
#include "lib/hash.h"
#include "lib/inspect/elf.h"
#include "perseus/sites.h"
#include "record/file/sites.h"

int graft_sites_read(struct sites *s, const char *program, const struct plan *plan, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char sha[SHA256_HEX];
	int ret = elf_section(program, PRS_SITES_SECTION, &text, err);

	*s = (struct sites){0};
	if (ret == -ENODATA)
		ret = err_set(err, -EINVAL,
			      "--program: '%s' has no table of sites\n  expected the build with the plugin "
			      "that was recorded for the plan",
			      program);
	if (ret) {
		strbuf_release(&text);
		return ret;
	}
	sha256_of(text.s, text.len, sha);
	if (plan->sites_sha256 && strcmp(plan->sites_sha256, sha)) {
		strbuf_release(&text);
		return err_set(
			err, -EINVAL,
			"--program: '%s' has another table of sites (sha256 %.16s...), the plan was made "
			"from %.16s...\n  expected the program that was recorded for the plan",
			program, sha, plan->sites_sha256);
	}
	ret = sites_parse(s, text.s, text.len, program, err);
	strbuf_release(&text);
	return ret;
}

/* The @i-th call of @site, from 0 on, in any unit; NULL: there are no more. */
static const struct run_call_site *nth_call(const struct sites *s, const struct plan_site *site, size_t i)
{
	for (size_t u = 0; u < s->n_units; u++)
		for (uint32_t k = 0; k < s->units[u].n_calls; k++)
			if (!strcmp(s->units[u].calls[k].id, site->id) && !i--)
				return &s->units[u].calls[k];
	return NULL;
}

const char *graft_sites_partial(const struct sites *s, const struct plan_site *site)
{
	const struct run_call_site *c;
	bool here = false, elsewhere = false;

	if (!strcmp(site->instance, "*"))
		return NULL;
	if (!strcmp(site->function, "main") && !strcmp(site->instance, "00000000"))
		return NULL;
	if (!s->text)
		return "the plan means one copy of it, and inlining may have made several: name the recorded "
		       "program with --program";
	for (size_t i = 0; (c = nth_call(s, site, i)); i++)
		*(strcmp(c->instance, site->instance) ? &elsewhere : &here) = true;
	if (!here)
		return "the recorded program has no such copy of it: the function was inlined otherwise";
	return elsewhere ? "inlining made several copies of it, and the plan means one: a graft acts in all"
			 : NULL;
}

uint32_t graft_sites_column(const struct sites *s, const struct plan_site *site)
{
	const struct run_call_site *c;
	uint32_t column = 0;

	for (size_t i = 0; (c = nth_call(s, site, i)); i++) {
		if (c->line != site->line)
			continue;
		if (column && column != c->column)
			return 0;
		column = c->column;
	}
	return column;
}
