/* SPDX-License-Identifier: MIT */
/* The machine of a processor, or the one that is nearest to it. */
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/num.h"
#include "monitor/families/families.h"

/* What follows "KEY<blanks>: " on its line. */
static bool cpuinfo(const char *text, const char *key, char *out, size_t size)
{
	for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
		const char *p = at + strlen(key);

		p += strspn(p, " \t");
		if ((at != text && at[-1] != '\n') || *p != ':')
			continue;
		p += 1 + strspn(p + 1, " \t");
		if (strcspn(p, "\n") >= size)
			return false;
		memcpy(out, p, strcspn(p, "\n"));
		out[strcspn(p, "\n")] = 0;
		return *out != 0;
	}
	return false;
}

bool machine_id_read(const char *sysroot, struct machine_id *id)
{
	char text[4096], number[16];
	uint64_t family, model;

	*id = (struct machine_id){.family = 0};
	if (fs_read_small(sysroot, "/proc/cpuinfo", text, sizeof(text)) < 0)
		return false;
	if (!cpuinfo(text, "vendor_id", id->vendor, sizeof(id->vendor)))
		return false;
	if (!cpuinfo(text, "cpu family", number, sizeof(number)) || num_u64(number, 0, 4095, &family))
		return false;
	if (!cpuinfo(text, "model", number, sizeof(number)) || num_u64(number, 0, 4095, &model))
		return false;
	id->family = (uint32_t)family;
	id->model = (uint32_t)model;
	return true;
}

/* 0: one of its models; else how far off: a family counts more than all models. */
static uint64_t distance(const struct family_machine *m, const struct machine_id *id)
{
	uint64_t best = UINT32_MAX;

	for (size_t i = 0; i < m->models.n; i++) {
		uint32_t low = m->models.at[i].low, high = m->models.at[i].high;
		uint64_t d = id->model < low ? low - id->model : id->model > high ? id->model - high : 0;

		best = d < best ? d : best;
	}
	return best + 65536ull * (id->family > m->family ? id->family - m->family : m->family - id->family);
}

const struct family_machine *families_choose(const struct families *f, const struct machine_id *id,
					     bool *nearest)
{
	const struct family_machine *best = NULL;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < f->n; i++) {
		const struct family_machine *m = &f->at[i];
		uint64_t d = strcmp(m->vendor, id->vendor) ? UINT64_MAX : distance(m, id);

		if (d < least) {
			least = d;
			best = m;
		}
	}
	*nearest = best && least > 0;
	return best;
}

const struct family_machine *families_find(const struct families *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->at[i].name, name))
			return &f->at[i];
	return NULL;
}
