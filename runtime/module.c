/* SPDX-License-Identifier: MIT */
/* Loaded objects: path, build id, range. */
#include <link.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/module.h"

/* Where descriptions of modules and units lie. */
static struct {
	unsigned char *at;
	uint64_t left;
} arena;

static struct prs_chunk *module_chunk;

void *arena_take(uint64_t bytes)
{
	void *p;

	bytes = (bytes + 15) & ~15ull;
	if (arena.left < bytes) {
		uint64_t slab = bytes > 65536 ? bytes : 65536;

		arena.at = sys_anon(slab);
		arena.left = arena.at ? slab : 0;
		if (!arena.at)
			return NULL;
	}
	p = arena.at;
	arena.at += bytes;
	arena.left -= bytes;
	return p;
}

struct search {
	uint64_t address;
	struct rt_found *out;
	bool found;
};

static void module_range(const struct dl_phdr_info *info, struct prs_module *m)
{
	m->start = ~0ull;
	m->end = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + ph->p_vaddr, high = low + ph->p_memsz;

		if (ph->p_type != PT_LOAD)
			continue;
		if (low < m->start)
			m->start = low;
		if (high > m->end)
			m->end = high;
	}
	m->bias = info->dlpi_addr;
}

static void module_code(const struct dl_phdr_info *info, struct rt_code *code)
{
	code->n = code->n_data = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_flags & PF_X && code->n < WAKE_SEGMENTS) {
			code->segment[code->n].start = start;
			code->segment[code->n].end = start + ph->p_filesz;
			code->segment[code->n++].prot = (ph->p_flags & PF_R ? PROT_READ : 0) |
							(ph->p_flags & PF_W ? PROT_WRITE : 0) | PROT_EXEC;
		}
		if (ph->p_flags & PF_W && code->n_data < WAKE_SEGMENTS) {
			code->data[code->n_data].start = start;
			code->data[code->n_data++].end = start + ph->p_memsz;
		}
	}
}

/* Copy the build id out of a note segment at @p. */
static bool scan_notes(const unsigned char *p, uint64_t bytes, struct prs_module *m)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)p;
		uint64_t name = (n->n_namesz + 3u) & ~3ull, desc = (n->n_descsz + 3u) & ~3ull;
		uint64_t whole = sizeof(*n) + name + desc;

		if (whole > bytes)
			return false;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(n + 1, "GNU", 4)) {
			m->build_id_bytes =
				n->n_descsz < sizeof(m->build_id) ? n->n_descsz : sizeof(m->build_id);
			for (uint32_t i = 0; i < m->build_id_bytes; i++)
				m->build_id[i] = ((const unsigned char *)(n + 1))[name + i];
			return true;
		}
		p += whole;
		bytes -= whole;
	}
	return false;
}

static void module_build_id(const struct dl_phdr_info *info, struct prs_module *m)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_NOTE &&
		    scan_notes((const unsigned char *)info->dlpi_addr + ph->p_vaddr, ph->p_memsz, m))
			return;
	}
}

/* An absolute path: the program itself has no name here, others may be relative to where we are now. */
static void module_path(const char *name, struct prs_module *m)
{
	const size_t max = sizeof(m->path) - 1;
	size_t n = 0;

	if (!name || !*name)
		name = rt.header->exe;
	if (*name && *name != '/' && sys_getcwd(m->path, max) > 0) {
		n = strlen(m->path);
		m->path[n++] = '/';
	}
	while (*name && n < max)
		m->path[n++] = *name++;
	m->path[n] = '\0';
}

static int module_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	module_range(info, &s->out->module);
	if (s->address < s->out->module.start || s->address >= s->out->module.end)
		return 0;
	module_code(info, &s->out->code);
	module_build_id(info, &s->out->module);
	module_path(info->dlpi_name, &s->out->module);
	s->found = true;
	s->out->main_program = !info->dlpi_name || !*info->dlpi_name;
	return 1;
}

/* Append @m to the record's MODULE entries; false: no room. */
static bool module_write(struct rt_module *m)
{
	struct prs_chunk *c = module_chunk;

	if (!c || c->used == c->pad[1]) {
		c = file_chunk(PRS_CHUNK_MODULE, sizeof(struct prs_module), PRS_NO_THREAD, 8192, 8192);
		if (!c)
			return false;
		file_publish(c);
		module_chunk = c;
	}
	((struct prs_module *)(c + 1))[c->used] = m->shadow;
	rt_publish(&c->used, c->used + 1);
	return true;
}

bool module_forked(void)
{
	module_chunk = NULL;
	for (struct rt_module *m = rt.modules; m; m = m->next)
		if (!module_write(m))
			return false;
	return true;
}

static void module_append(struct rt_module *m)
{
	struct rt_module *last = NULL;

	for (struct rt_module *o = rt.modules; o; o = o->next) {
		if (!strcmp(o->shadow.path, m->shadow.path))
			m->shadow.epoch = o->shadow.epoch + 1;
		last = o;
	}
	m->index = last ? last->index + 1 : 0;
	if (last)
		last->next = m;
	else
		rt.modules = m;
}

bool module_find(const void *address, struct rt_found *out)
{
	struct search s = {.address = (uint64_t)address, .out = out};

	dl_iterate_phdr(module_visit, &s);
	return s.found;
}

struct rt_module *module_enter(const struct rt_found *found)
{
	struct rt_module *m;

	/* A module whose units are all detached was unloaded: what lies there now is another load. */
	for (m = rt.modules; m; m = m->next)
		if (m->live && m->shadow.start == found->module.start &&
		    !strcmp(m->shadow.path, found->module.path))
			return m;
	m = arena_take(sizeof(*m));
	if (!m)
		return NULL;
	m->shadow = found->module;
	m->main_program = found->main_program;
	m->segments = found->code;
	module_append(m);
	return module_write(m) ? m : NULL;
}
