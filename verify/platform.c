/* SPDX-License-Identifier: MIT */
#include "verify/platform.h"

#include <stdlib.h>

#include "verify/sha256.h"

#define PLATFORM_BYTES ((size_t)64 << 20)
#define MAX_CORES      1024u
#define MAX_STEPS      256u

static int read_core(struct vplatform *p, uint32_t map, struct vplatform_core *core, struct fault *f)
{
	uint64_t id = 0, domain = 0, other = 0;

	if (vyaml_number(&p->doc, map, "id", false, UINT32_MAX - 1, &id, f) ||
	    vyaml_number(&p->doc, map, "package", false, UINT32_MAX, &other, f) ||
	    vyaml_number(&p->doc, map, "cache_group", false, UINT32_MAX, &other, f) ||
	    vyaml_number(&p->doc, map, "physical", false, UINT32_MAX, &other, f) ||
	    vyaml_number(&p->doc, map, "domain", false, UINT32_MAX - 1, &domain, f) ||
	    vyaml_bool(&p->doc, map, "usable", &core->usable, f))
		return -1;
	core->id = (uint32_t)id;
	core->domain = (uint32_t)domain;
	return vyaml_unused(&p->doc, map, f);
}

static int read_step(struct vplatform *p, uint32_t map, uint32_t *khz, struct fault *f)
{
	uint64_t value = 0;

	if (vyaml_number(&p->doc, map, "khz", false, UINT32_MAX - 1, &value, f))
		return -1;
	*khz = (uint32_t)value;
	return 0;
}

static int list_of(struct vplatform *p, const char *key, size_t max, uint32_t *list, size_t *n,
		   struct fault *f)
{
	if (vyaml_list(&p->doc, 0, key, false, list, f))
		return -1;
	*n = p->doc.node[*list].n;
	if (*n && *n <= max)
		return 0;
	return fault_set(f, "%s: %zu %s, expected 1 to %zu", p->doc.name, *n, key, max);
}

static int read_lists(struct vplatform *p, struct fault *f)
{
	uint32_t cores = 0, steps = 0;
	size_t n = 0;

	if (list_of(p, "cores", MAX_CORES, &cores, &p->n_cores, f) ||
	    list_of(p, "steps", MAX_STEPS, &steps, &p->n_steps, f))
		return -1;
	p->core = need(p->n_cores, sizeof(*p->core));
	p->khz = need(p->n_steps, sizeof(*p->khz));
	for (uint32_t i = p->doc.node[cores].first; i; i = p->doc.node[i].next)
		if (read_core(p, i, &p->core[n++], f))
			return -1;
	n = 0;
	for (uint32_t i = p->doc.node[steps].first; i; i = p->doc.node[i].next)
		if (read_step(p, i, &p->khz[n++], f))
			return -1;
	return 0;
}

int vplatform_read(struct vplatform *p, const char *path, struct fault *f)
{
	static const char *const kinds[] = {"platform", NULL};
	uint32_t kind = 0;

	*p = (struct vplatform){0};
	if (input_read(&p->in, path, PLATFORM_BYTES, f))
		return -1;
	vsha256(p->in.data, p->in.size, p->sha256);
	if (vyaml_parse(&p->doc, path, &p->in, f) || vyaml_word(&p->doc, 0, "perseus", kinds, &kind, f) ||
	    vyaml_text(&p->doc, 0, "name", false, &p->name, f) ||
	    vyaml_text(&p->doc, 0, "cpu", true, &p->cpu, f))
		return -1;
	return read_lists(p, f);
}

void vplatform_release(struct vplatform *p)
{
	vyaml_release(&p->doc);
	input_release(&p->in);
	free(p->core);
	free(p->khz);
	*p = (struct vplatform){0};
}
