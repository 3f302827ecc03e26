// SPDX-License-Identifier: MIT
/* Which file an address belongs to, and which variable. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/denormal/den.h"

struct seen {
	uint64_t address; /* wanted, 0: all */
	uint64_t start, end, bias;
	unsigned char build_id[32];
	uint32_t build_id_bytes;
	char path[PATH_MAX];
	bool found;
};

static struct prs_den_module *modules[DEN_MODULES];
static uint32_t n_modules;

static void find_build_id(struct seen *m, const struct dl_phdr_info *info, const ElfW(Phdr) * ph)
{
	const unsigned char *at = (const unsigned char *)(info->dlpi_addr + ph->p_vaddr),
			    *end = at + ph->p_memsz;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)at;
		size_t names = (n->n_namesz + 3u) & ~(size_t)3, bytes = (n->n_descsz + 3u) & ~(size_t)3;

		at += sizeof(*n);
		if (names + bytes > (size_t)(end - at))
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, at + names, n->n_descsz);
			m->build_id_bytes = n->n_descsz;
		}
		at += names + bytes;
	}
}

static void module_look_at(struct seen *m, const struct dl_phdr_info *info)
{
	m->start = UINT64_MAX;
	m->end = 0;
	m->bias = info->dlpi_addr;
	m->build_id_bytes = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_NOTE)
			find_build_id(m, info, ph);
		if (ph->p_type != PT_LOAD)
			continue;
		m->start = from < m->start ? from : m->start;
		m->end = from + ph->p_memsz > m->end ? from + ph->p_memsz : m->end;
	}
	strncpy(m->path, info->dlpi_name ? info->dlpi_name : "", sizeof(m->path) - 1);
}

static int take_one(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct seen *m = arg;

	(void)size;
	module_look_at(m, info);
	m->found = m->address >= m->start && m->address < m->end;
	return m->found;
}

/* Under the lock. */
static uint32_t known(const struct seen *m)
{
	for (uint32_t i = n_modules; i-- > 0;)
		if (modules[i]->start == m->start && modules[i]->bias == m->bias &&
		    modules[i]->end == m->end &&
		    !memcmp(modules[i]->build_id, m->build_id, m->build_id_bytes))
			return i;
	return DEN_NONE;
}

static uint32_t add(const struct seen *m)
{
	const char *path = *m->path ? m->path : den.head->exe;
	struct prs_den_module *item;
	uint32_t number = known(m);

	if (number != DEN_NONE || n_modules == DEN_MODULES)
		return number;
	item = den_take(PRS_DEN_ITEM_MODULE, sizeof(*item) + strlen(path) + 1);
	if (!item)
		return DEN_NONE;
	item->start = m->start;
	item->end = m->end;
	item->bias = m->bias;
	item->build_id_bytes = m->build_id_bytes;
	memcpy(item->build_id, m->build_id, m->build_id_bytes);
	strcpy(item->path, path);
	den_publish(item);
	modules[n_modules] = item;
	return n_modules++;
}

uint32_t den_module(uint64_t address)
{
	struct seen m = {.address = address};
	uint32_t number = DEN_NONE;
	sigset_t old;

	dl_iterate_phdr(take_one, &m);
	if (!m.found)
		return DEN_NONE;
	den_lock(&old);
	number = add(&m);
	den_unlock(&old);
	return number;
}

bool den_module_holds(uint32_t module, uint64_t address)
{
	return module < DEN_MODULES && modules[module] && address >= modules[module]->start &&
	       address < modules[module]->end;
}

static bool cover(const Elf64_Shdr *s, uint64_t size)
{
	return s->sh_offset <= size && s->sh_size <= size - s->sh_offset;
}

/* The variable of the file @base that holds the link-time address @at; if none does, [*start, *end) ends where others do. */
static void find_symbol(const unsigned char *base, uint64_t size, uint64_t at, uint64_t *start, uint64_t *end)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)base;

	if (size < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_shentsize != sizeof(Elf64_Shdr) || e->e_shoff > size ||
	    e->e_shnum > (size - e->e_shoff) / sizeof(Elf64_Shdr))
		return;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		const Elf64_Shdr *s = (const Elf64_Shdr *)(base + e->e_shoff) + i;

		if ((s->sh_type != SHT_SYMTAB && s->sh_type != SHT_DYNSYM) || !cover(s, size))
			continue;
		for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
			const Elf64_Sym *sym = (const Elf64_Sym *)(base + s->sh_offset) + k;
			uint64_t from = sym->st_value, behind = from + sym->st_size;

			if (ELF64_ST_TYPE(sym->st_info) != STT_OBJECT || sym->st_shndx == SHN_UNDEF)
				continue;
			if (at - from < sym->st_size) {
				*start = from;
				*end = behind;
				return;
			}
			if (behind <= at && behind > *start)
				*start = behind;
			if (from > at && from < *end)
				*end = from;
		}
	}
}

void den_variable(uint32_t module, uint64_t address, uint64_t *start, uint64_t *end)
{
	const struct prs_den_module *m = modules[module];
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	*start = address & ~4095ull;
	*end = *start + 4096;
	if (fd < 0)
		return;
	p = fstat(fd, &st) ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return;
	*start -= m->bias;
	*end -= m->bias;
	find_symbol(p, (uint64_t)st.st_size, address - m->bias, start, end);
	*start += m->bias;
	*end += m->bias;
	munmap(p, (size_t)st.st_size);
}
