/* SPDX-License-Identifier: MIT */
#include "recorder/callees.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "record/callees.h"

struct symbol {
	uint64_t address, bytes;
	char type;
	char *name;
};

/* A library that something was called in. */
struct library {
	const char *path;
	struct VEC(struct symbol) symbols;
	char *text;
};
struct libraries VEC(struct library);

/* ---- symbols ------------------------------------------------------------------------ */

/* A file, as this process has it loaded: it may have come by another path. */
struct loaded {
	struct stat file;
	const char *path; /* NULL: it is not */
	uint64_t bias;
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct loaded *l = arg;

	struct stat st;

	(void)size;
	if (stat(info->dlpi_name, &st) || st.st_dev != l->file.st_dev || st.st_ino != l->file.st_ino)
		return 0;
	l->bias = info->dlpi_addr;
	l->path = info->dlpi_name;
	return 1;
}

/*
 * Of strlen() and its like the loader takes the version that suits the machine,
 * which has no public name.  Where this process has the library, too, it was
 * given the same.
 */
static void add_chosen(struct library *lib)
{
	struct loaded l = {.path = NULL};
	void *handle = NULL;

	if (!stat(lib->path, &l.file) && dl_iterate_phdr(find_loaded, &l))
		handle = dlopen(l.path, RTLD_LAZY | RTLD_NOLOAD);
	for (size_t i = 0, n = lib->symbols.n; handle && i < n; i++) {
		struct symbol s = lib->symbols.at[i];
		void *at = s.type == 'i' ? dlsym(handle, s.name) : NULL;

		if (!at)
			continue;
		s.address = (uint64_t)at - l.bias;
		s.bytes = 1;
		vec_push(&lib->symbols, s);
	}
	if (handle)
		dlclose(handle);
}

static void read_symbols(struct library *lib)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	unsigned long address, bytes;
	char *s, type;
	int n;

	if (!elf_symbols(lib->path, &text, &err) && text.s) {
		lib->text = mem_strndup(text.s, text.len);
		for (s = strtok(lib->text, "\n"); s; s = strtok(NULL, "\n"))
			if (sscanf(s, "%lx %lx %c %n", &address, &bytes, &type, &n) == 3 &&
			    strchr("TtWwi", type))
				vec_push(&lib->symbols, ((struct symbol){address, bytes, type, s + n}));
		add_chosen(lib);
	}
	strbuf_release(&text);
}

static struct library *library_of(struct libraries *all, const char *path)
{
	struct library *lib;

	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].path, path))
			return &all->at[i];
	lib = vec_add(all);
	*lib = (struct library){.path = path};
	read_symbols(lib);
	return lib;
}

/* A global name before a local one, the shorter of two, and none with leading underscores if there is another. */
static bool better(const struct symbol *a, const struct symbol *b)
{
	bool ga = a->type != 't', gb = b->type != 't', ua = a->name[0] == '_', ub = b->name[0] == '_';

	if (ga != gb)
		return ga;
	if (ua != ub)
		return ub;
	return strlen(a->name) < strlen(b->name);
}

static const struct symbol *symbol_at(const struct library *lib, uint64_t at)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < lib->symbols.n; i++) {
		const struct symbol *s = &lib->symbols.at[i];

		if (s->address == at && s->bytes && (!best || better(s, best)))
			best = s;
	}
	return best;
}

/* ---- addresses ----------------------------------------------------------------------- */

/* Link-time address of what lies @offset bytes into the file, as its program headers say; else the same. */
static uint64_t link_address(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr e = {.e_phnum = 0};
	Elf64_Phdr p;

	if (fd < 0)
		return offset;
	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || e.e_phentsize != sizeof(p))
		e.e_phnum = 0;
	for (int i = 0; i < e.e_phnum; i++) {
		off_t at = (off_t)(e.e_phoff + (uint64_t)i * sizeof(p));

		if (pread(fd, &p, sizeof(p), at) != sizeof(p))
			break;
		if (p.p_type == PT_LOAD && offset >= p.p_offset && offset - p.p_offset < p.p_filesz) {
			offset += p.p_vaddr - p.p_offset;
			break;
		}
	}
	close(fd);
	return offset;
}

/* The last mapping there; of the process itself if it has one, else it was inherited. */
static const struct samples_map *map_at(const struct samples_maps *maps, uint32_t pid, uint64_t address)
{
	const struct samples_map *found = NULL;

	for (size_t i = maps->n; i-- > 0;) {
		const struct samples_map *m = &maps->at[i];

		if (address - m->start >= m->bytes)
			continue;
		if (m->pid == pid)
			return m;
		found = found ? found : m;
	}
	return found;
}

static void write_name(struct strbuf *out, struct libraries *libs, const struct samples_maps *maps,
		       uint32_t pid, uint64_t address)
{
	const struct samples_map *m = map_at(maps, pid, address);
	const char *slash = m ? strrchr(m->path, '/') : NULL;
	const struct symbol *s;
	uint64_t at;

	if (!m || m->path[0] != '/' || strchr(m->path, '\n'))
		return;
	at = link_address(m->path, address - m->start + m->offset);
	s = symbol_at(library_of(libs, m->path), at);
	if (s)
		strbuf_printf(out, "%u %lx %s\n", pid, (unsigned long)address, s->name);
	else
		strbuf_printf(out, "%u %lx %s+0x%lx\n", pid, (unsigned long)address, slash + 1,
			      (unsigned long)at);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void write_process(struct strbuf *out, struct libraries *libs, const struct samples_maps *maps,
			  const struct run *run, const struct run_process *p)
{
	struct VEC(uint64_t) v = VEC_INIT;

	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++) {
			uint64_t at = p->threads[i].calls[k]->callee;

			if (at && !run_symbol(run, p, at, NULL))
				vec_push(&v, at);
		}
	if (v.n)
		qsort(v.at, v.n, sizeof(*v.at), by_number);
	for (size_t i = 0; i < v.n; i++)
		if (!i || v.at[i] != v.at[i - 1])
			write_name(out, libs, maps, p->header->pid, v.at[i]);
	vec_release(&v);
}

int callees_write(const char *dir, const struct samples_maps *maps, struct err *err)
{
	struct libraries libs = VEC_INIT;
	struct strbuf out = STRBUF_INIT;
	char path[PATH_MAX];
	struct run run;
	int ret = run_open(&run, dir, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < run.n_processes; i++)
		write_process(&out, &libs, maps, &run, &run.processes[i]);
	if (out.len && snprintf(path, sizeof(path), "%s/" CALLEES_FILE, dir) < (int)sizeof(path))
		ret = fs_write(path, out.s, out.len, err);
	for (size_t i = 0; i < libs.n; i++) {
		vec_release(&libs.at[i].symbols);
		free(libs.at[i].text);
	}
	vec_release(&libs);
	strbuf_release(&out);
	run_close(&run);
	return ret;
}
