// SPDX-License-Identifier: MIT
/*
 * The file that an address lies in, by /proc/self/maps: the loader's own list
 * has a lock that the interrupted code may hold.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/denormal/trap/trap.h"

#define PAGE 4096ull

/* A line of the list. */
struct mapped {
	uint64_t start, end, offset;
	char path[PATH_MAX];
};

struct lines {
	int fd;
	size_t n, at;
	char text[4096];
};

static struct known {
	uint64_t start, end;
} known[DEN_MODULES];
static unsigned n_known;

static int next_char(struct lines *l)
{
	if (l->at == l->n) {
		ssize_t n = read(l->fd, l->text, sizeof(l->text));

		if (n <= 0)
			return -1;
		l->n = (size_t)n;
		l->at = 0;
	}
	return (unsigned char)l->text[l->at++];
}

static uint64_t take_hex(struct lines *l, int *end)
{
	uint64_t v = 0;

	for (;;) {
		int c = next_char(l), d = c >= '0' && c <= '9'   ? c - '0'
					  : c >= 'a' && c <= 'f' ? c - 'a' + 10
								 : -1;

		*end = c;
		if (d < 0)
			return v;
		v = v << 4 | (unsigned)d;
	}
}

/* start-end perms offset device inode path */
static bool next_line(struct lines *l, struct mapped *m)
{
	size_t n = 0;
	int c;

	m->start = take_hex(l, &c);
	if (c != '-')
		return false;
	m->end = take_hex(l, &c);
	for (int i = 0; i < 5; i++)
		c = next_char(l);
	m->offset = take_hex(l, &c);
	do
		c = next_char(l);
	while (c >= 0 && c != '\n' && c != '/');
	for (; c >= 0 && c != '\n'; c = next_char(l))
		if (n < sizeof(m->path) - 1)
			m->path[n++] = (char)c;
	m->path[n] = '\0';
	return true;
}

/* Under the lock, which holds faults back. */
static bool look(void *to, const void *from, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static void take_note(struct prs_den_module *m, const unsigned char *at, uint64_t bytes)
{
	Elf64_Nhdr h;

	while (bytes >= sizeof(h) && look(&h, at, sizeof(h))) {
		uint64_t names = (h.n_namesz + 3ull) & ~3ull,
			 all = sizeof(h) + names + ((h.n_descsz + 3ull) & ~3ull);

		if (all > bytes)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_descsz <= sizeof(m->build_id)) {
			m->build_id_bytes = h.n_descsz;
			look(m->build_id, at + sizeof(h) + names, h.n_descsz);
		}
		at += all;
		bytes -= all;
	}
}

/* By the ELF head that is mapped at @head: link-time addresses and the build id. */
static void take_head(struct prs_den_module *m, uint64_t head)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;
	bool first = true;

	m->bias = head;
	if (!look(&e, (const void *)head, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_phentsize != sizeof(p))
		return;
	for (unsigned i = 0; i < e.e_phnum && i < 64; i++) {
		if (!look(&p, (const void *)(head + e.e_phoff + i * sizeof(p)), sizeof(p)))
			return;
		if (p.p_type == PT_LOAD && first) {
			m->bias = head - (p.p_vaddr & ~(PAGE - 1));
			first = false;
		}
		if (p.p_type == PT_NOTE && !first)
			take_note(m, (const unsigned char *)(m->bias + p.p_vaddr), p.p_memsz);
	}
}

/* The mappings of one file that lie behind one another, beginning with its head. */
static bool find(uint64_t address, struct mapped *whole)
{
	static struct lines lines; /* under the lock, as what follows */
	static struct mapped m;
	bool found = false;

	lines.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	lines.n = lines.at = 0;
	whole->path[0] = '\0';
	while (lines.fd >= 0 && next_line(&lines, &m)) {
		bool more = m.path[0] == '/' && !strcmp(m.path, whole->path) && m.offset;

		if (found && !more)
			break;
		if (more)
			whole->end = m.end;
		else
			*whole = m;
		found |= address >= m.start && address < m.end;
	}
	if (lines.fd >= 0)
		close(lines.fd);
	return found && whole->path[0] == '/';
}

/* Under the lock. */
static void add(const struct mapped *m)
{
	struct prs_den_module *item = den_take(PRS_DEN_ITEM_MODULE, sizeof(*item) + strlen(m->path) + 1);

	if (!item)
		return;
	item->start = m->start;
	item->end = m->end;
	take_head(item, m->start);
	strcpy(item->path, m->path);
	den_publish(item);
}

/*
 * A library that is unloaded and another one loaded in its place are not told
 * apart before their addresses differ.
 */
void trap_module(uint64_t address)
{
	static struct mapped m;
	sigset_t old;

	for (unsigned i = 0; i < __atomic_load_n(&n_known, __ATOMIC_ACQUIRE); i++)
		if (address >= known[i].start && address < known[i].end)
			return;
	den_lock(&old);
	if (n_known < DEN_MODULES && find(address, &m)) {
		add(&m);
		known[n_known].start = m.start;
		known[n_known].end = m.end;
		__atomic_store_n(&n_known, n_known + 1, __ATOMIC_RELEASE);
	}
	den_unlock(&old);
}
