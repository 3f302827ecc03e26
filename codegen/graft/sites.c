/* SPDX-License-Identifier: MIT */
/* In how many instances a site exists: a graft acts in all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/graft/find.h"
#include "lib/hash.h"
#include "lib/inspect/elf.h"
#include "perseus/sites.h"

int graft_sites_read(struct graft_sites *s, const char *program, const struct plan *plan, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char sha[SHA256_HEX];
	int ret = elf_section(program, PRS_SITES_SECTION, &text, err);

	*s = (struct graft_sites){0};
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
	s->len = text.len;
	s->text = strbuf_detach(&text);
	return 0;
}

void graft_sites_release(struct graft_sites *s)
{
	free(s->text);
	*s = (struct graft_sites){0};
}

bool graft_sites_unit(const struct graft_sites *s, size_t i, struct strbuf *out)
{
	const char *line = s->text, *end = s->text ? s->text + s->len : NULL;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		const char *stop = next ? next : end, *from = line;

		for (unsigned n = 0; from && n < 6; n++) {
			from = memchr(from, '\t', (size_t)(stop - from));
			from += from != NULL;
		}
		if (from && line[0] == 'U' && line[1] == '\t' && !i--) {
			const char *tab = memchr(from, '\t', (size_t)(stop - from));

			strbuf_add(out, from, (size_t)((tab ? tab : stop) - from));
			return true;
		}
		line = next ? next + 1 : end;
	}
	return false;
}

/* If @line is the line of a call of site @id: its instance, 8 digits. */
static const char *instance_of(const char *line, const char *end, const char *id)
{
	const char *p = line + 2;

	if (end - line < 2 || line[0] != 'C' || line[1] != '\t')
		return NULL;
	p = memchr(p, '\t', (size_t)(end - p));
	if (!p || end - p < 27 || strncmp(p + 1, id, 16) || p[17] != '\t' || p[26] != '\t')
		return NULL;
	return p + 18;
}

const char *graft_sites_partial(const struct graft_sites *s, const struct plan_site *site)
{
	const char *line = s->text, *end = s->text ? s->text + s->len : NULL;
	bool here = false, elsewhere = false;

	if (!strcmp(site->instance, "*"))
		return NULL;
	if (!strcmp(site->function, "main") && !strcmp(site->instance, "00000000"))
		return NULL;
	if (!line)
		return "the plan means one copy of it, and inlining may have made several: name the recorded "
		       "program with --program";
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		const char *instance = instance_of(line, next ? next : end, site->id);

		if (instance)
			*(strncmp(instance, site->instance, 8) ? &elsewhere : &here) = true;
		line = next ? next + 1 : end;
	}
	if (!here)
		return "the recorded program has no such copy of it: the function was inlined otherwise";
	return elsewhere ? "inlining made several copies of it, and the plan means one: a graft acts in all"
			 : NULL;
}

/* Field @n, from 0 on, of a line as a number. */
static uint32_t number_at(const char *line, const char *end, unsigned n)
{
	while (n-- && line < end) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));

		line = tab ? tab + 1 : end;
	}
	return line < end ? (uint32_t)strtoul(line, NULL, 10) : 0;
}

uint32_t graft_sites_column(const struct graft_sites *s, const struct plan_site *site)
{
	const char *line = s->text, *end = s->text ? s->text + s->len : NULL;
	uint32_t column = 0;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		const char *stop = next ? next : end;

		if (instance_of(line, stop, site->id) && number_at(line, stop, 7) == site->line) {
			uint32_t here = number_at(line, stop, 8);

			if (column && column != here)
				return 0;
			column = here;
		}
		line = next ? next + 1 : end;
	}
	return column;
}
