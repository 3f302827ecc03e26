/* SPDX-License-Identifier: MIT */
/*
 * layouts BINARY              each member of each type in the debug information, and its place
 * layouts ROUNDS PLAN BINARY  bytes of the debug information are changed, ROUNDS times; whatever is
 *                             found, it must neither crash nor go on without end.  The same arguments
 *                             give the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/verify/programs/draw.h"
#include "verify/layouts/layouts.h"

static int show(const struct image *e)
{
	struct dwarf d;
	bool bad = dwarf_open(&d, e) != DWARF_READ;

	for (size_t i = 0; i < d.n; i++) {
		struct die die;
		uint64_t offset;

		for (bool more = dwarf_first(&d.unit[i], &die); more; more = dwarf_next(&die))
			if (die.tag == TAG_MEMBER && dwarf_text(&die, AT_NAME) && dwarf_has(&die, AT_PLACE) &&
			    dwarf_place(&die, &offset))
				printf("%s %llu\n", dwarf_text(&die, AT_NAME), (unsigned long long)offset);
		bad |= d.unit[i].doubt != NULL;
	}
	dwarf_release(&d);
	return bad;
}

/* Damage of one section, which is taken back.  Findings of both kinds. */
static size_t damage(struct image *e, const char *name, const struct vplan *p, const struct symbols *s)
{
	struct findings list = {0}, notes = {0};
	struct layouts l = {.plan = p, .list = &list, .notes = &notes};
	size_t i = image_named(e, name), size, n;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	uint8_t *bytes, *kept;

	if (!data || !size)
		return 0;
	bytes = e->in.data + (data - e->in.data);
	kept = need(size, 1);
	memcpy(kept, bytes, size);
	for (uint64_t k = 1 + draw(8); k; k--) {
		static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 3, 0x13, 0x16, 0x21};
		size_t at = draw(draw(3) ? size : (size < 200 ? size : 200));

		bytes[at] = draw(2) ? odd[draw(sizeof(odd))] : (uint8_t)draw(256);
	}
	if (!draw(4))
		e->section[i].sh_size = draw(size + 1);
	layouts_begin(&l);
	layouts_read(&l, e, s);
	layouts_conclude(&l);
	n = list.n + notes.n;
	layouts_release(&l);
	findings_release(&list);
	findings_release(&notes);
	e->section[i].sh_size = size;
	memcpy(bytes, kept, size);
	free(kept);
	return n;
}

static void fuzz(struct image *e, const struct vplan *p, unsigned long rounds)
{
	static const char *const sections[] = {".debug_info",     ".debug_abbrev",   ".debug_info",
					       ".debug_line",     ".debug_str",      ".debug_types",
					       ".debug_line_str", ".perseus.layouts"};
	struct symbols s;
	struct fault f;
	size_t n = 0;

	if (symbols_read(&s, e, &f)) {
		fprintf(stderr, "%s\n", f.text);
		return;
	}
	for (unsigned long i = 0; i < rounds; i++)
		n += damage(e, sections[i % (sizeof(sections) / sizeof(*sections))], p, &s);
	printf("%zu findings\n", n);
	symbols_release(&s);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	struct vplan plan;
	struct image e;
	struct fault f;
	int ret = 0;

	if (argc < 2 || image_open(&e, argv[argc - 1], &f) || (rounds && vplan_read(&plan, argv[2], &f))) {
		fprintf(stderr, "%s\n", f.text);
		return 1;
	}
	if (rounds) {
		fuzz(&e, &plan, rounds);
		vplan_release(&plan);
	} else {
		ret = show(&e);
	}
	image_release(&e);
	return ret;
}
