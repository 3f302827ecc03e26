/* SPDX-License-Identifier: MIT */
#include "lib/shown.h"
#include "lib/inspect/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/vec.h"

#define SITES_SECTION ".perseus.sites"
#define ATTACH_SYMBOL "__prs_attach"
#define MAX_SECTION   ((uint64_t)1 << 30)

struct elf_file {
	const char *path;
	int fd;
	Elf *elf;
	size_t names; /* index of the section name table */
	uint64_t tls; /* bytes of thread-local data, as the thread pointer is aligned behind it */
};

struct symbol {
	uint64_t address, bytes;
	const char *name;
	char letter;
};
struct symbols VEC(struct symbol);

static int open_fd(struct elf_file *f, struct err *err)
{
	struct stat st;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", f->path, strerror(errno));
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode)) {
		close(f->fd);
		return err_set(err, -ENOEXEC, "'%s' is not a regular file", f->path);
	}
	return 0;
}

static int elf_open(struct elf_file *f, const char *path, struct err *err)
{
	int ret;

	f->path = path;
	f->tls = 0;
	ret = open_fd(f, err);
	if (ret)
		return ret;
	elf_version(EV_CURRENT);
	/* Not mapped: a file that shrinks while it is read must not kill the tool. */
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF) {
		ret = err_set(err, -ENOEXEC, "'%s' is not an ELF file", path);
	} else if (elf_getshdrstrndx(f->elf, &f->names)) {
		ret = err_set(err, -EINVAL, "'%s' is damaged: %s", path, elf_errmsg(-1));
	}
	if (ret) {
		elf_end(f->elf);
		close(f->fd);
	}
	elf_errno(); /* What failed until now is said. */
	return ret;
}

static void elf_shut(struct elf_file *f)
{
	elf_end(f->elf);
	close(f->fd);
}

static int elf_damaged(const struct elf_file *f, const char *what, struct err *err)
{
	const char *why = elf_errmsg(-1);

	return err_set(err, -EINVAL, "'%s' is damaged: %s: %s", f->path, what,
		       why ? why : "it lies outside the file");
}

/* The next section called @name after @scn; its header in @sh. */
static Elf_Scn *find_section(struct elf_file *f, Elf_Scn *scn, const char *name, GElf_Shdr *sh)
{
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *s;

		if (!gelf_getshdr(scn, sh))
			continue;
		s = elf_strptr(f->elf, f->names, sh->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

/*
 * Fails if the last thing that went wrong since elf_open() was no fault of the file: what was not
 * found may be there.  libelf has no names for its numbers; without setlocale() its words stay.
 */
static int sections_read(const struct elf_file *f, struct err *err)
{
	const char *why = elf_errmsg(0);

	if (!why || (strcmp(why, "out of memory") && strcmp(why, "cannot read data from file")))
		return 0;
	return err_set(err, strcmp(why, "out of memory") ? -EIO : -ENOMEM, "cannot read '%s': %s", f->path,
		       why);
}

/* Uncompress @scn in memory if it is compressed, after a look at the size it claims. */
static int inflate_section(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh, struct err *err)
{
	GElf_Chdr ch;

	if (!(sh->sh_flags & SHF_COMPRESSED))
		return 0;
	if (!gelf_getchdr(scn, &ch) || ch.ch_size > MAX_SECTION)
		return elf_damaged(f, "compressed section", err);
	if (elf_compress(scn, 0, 0) < 0)
		return elf_damaged(f, "compressed section", err);
	return 0;
}

static int add_section(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh, struct strbuf *out,
		       struct err *err)
{
	Elf_Data *data = NULL;
	int ret;

	if (sh->sh_type == SHT_NOBITS)
		return elf_damaged(f, "a section without contents", err);
	if (sh->sh_size > MAX_SECTION || out->len > MAX_SECTION)
		return err_set(err, -EFBIG, "'%s': section of %" PRIu64 " bytes, at most 1 GiB is read",
			       f->path, (uint64_t)sh->sh_size);
	ret = inflate_section(f, scn, sh, err);
	if (ret)
		return ret;
	while ((data = elf_rawdata(scn, data)) != NULL)
		if (data->d_buf && data->d_size)
			strbuf_add(out, data->d_buf, data->d_size);
	return sections_read(f, err);
}

int elf_section(const char *path, const char *name, struct strbuf *out, struct err *err)
{
	struct elf_file f;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int ret = elf_open(&f, path, err);
	bool found = false;

	if (ret)
		return ret;
	while (!ret && (scn = find_section(&f, scn, name, &sh)) != NULL) {
		found = true;
		ret = add_section(&f, scn, &sh, out, err);
	}
	if (!ret && !found)
		ret = sections_read(&f, err);
	if (!ret && !found)
		ret = err_set(err, -ENODATA, "'%s' has no section %s", path, name);
	elf_shut(&f);
	return ret;
}

/* The letter nm prints for a symbol in a section of these flags. */
static char letter_of(const GElf_Sym *sym, const GElf_Shdr *sh)
{
	int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	char c;

	if (type == STT_GNU_IFUNC)
		return 'i';
	if (type == STT_TLS)
		return bind == STB_LOCAL ? 'l' : 'L';
	if (bind == STB_GNU_UNIQUE)
		return 'u';
	if (bind == STB_WEAK)
		return type == STT_OBJECT ? 'V' : 'W';
	if (type == STT_FUNC || sh->sh_flags & SHF_EXECINSTR)
		c = 't';
	else if (sh->sh_type == SHT_NOBITS)
		c = 'b';
	else
		c = sh->sh_flags & SHF_WRITE ? 'd' : 'r';
	return bind == STB_LOCAL ? c : (char)(c - 'a' + 'A');
}

/* True if people may be shown @sym: a defined function or variable. */
static bool wanted(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC || type == STT_TLS);
}

/* The symbol table to use: .symtab if it was not stripped, else .dynsym. */
static Elf_Scn *symbol_section(struct elf_file *f, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL, *dynamic = NULL;
	GElf_Shdr h, keep = {0};

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &h))
			continue;
		if (h.sh_type == SHT_SYMTAB) {
			*sh = h;
			return scn;
		}
		if (h.sh_type == SHT_DYNSYM) {
			dynamic = scn;
			keep = h;
		}
	}
	*sh = keep;
	return dynamic;
}

static void add_symbol(struct elf_file *f, const GElf_Shdr *table, const GElf_Sym *sym, struct symbols *out)
{
	const char *name = elf_strptr(f->elf, table->sh_link, sym->st_name);
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(f->elf, sym->st_shndx) : NULL;
	GElf_Shdr sh = {0};

	if (!name || !*name)
		return;
	if (scn && !gelf_getshdr(scn, &sh))
		return;
	vec_push(out, ((struct symbol){sym->st_value, sym->st_size, name, letter_of(sym, &sh)}));
	/* Where the thread pointer is 0. */
	if (GELF_ST_TYPE(sym->st_info) == STT_TLS)
		out->at[out->n - 1].address -= f->tls;
}

static void measure_tls(struct elf_file *f)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &n))
		return;
	for (size_t i = 0; i < n && gelf_getphdr(f->elf, (int)i, &ph); i++)
		if (ph.p_type == PT_TLS)
			f->tls = ph.p_align > 1 ? (ph.p_memsz + ph.p_align - 1) / ph.p_align * ph.p_align
						: ph.p_memsz;
}

static int read_symbols(struct elf_file *f, struct symbols *out, struct err *err)
{
	GElf_Shdr table;
	Elf_Scn *scn = symbol_section(f, &table);
	Elf_Data *data;
	GElf_Sym sym;

	if (!scn)
		return 0;
	data = elf_getdata(scn, NULL);
	if (!data)
		return elf_damaged(f, "symbol table", err);
	measure_tls(f);
	for (int i = 1; gelf_getsym(data, i, &sym); i++)
		if (wanted(&sym))
			add_symbol(f, &table, &sym, out);
	return 0;
}

static int elf_by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void print_symbol(struct strbuf *out, const struct symbol *s)
{
	size_t at;

	strbuf_printf(out, "%" PRIx64 " %" PRIx64 " %c ", s->address, s->bytes, s->letter);
	at = out->len;
	strbuf_puts(out, s->name);
	shown_make(&out->s[at], "");
	strbuf_puts(out, "\n");
}

int elf_symbols(const char *path, struct strbuf *out, struct err *err)
{
	struct symbols all = VEC_INIT;
	struct elf_file f;
	int ret = elf_open(&f, path, err);

	if (ret)
		return ret;
	ret = read_symbols(&f, &all, err);
	if (!ret && all.n) {
		qsort(all.at, all.n, sizeof(*all.at), elf_by_address);
		for (size_t i = 0; i < all.n; i++)
			print_symbol(out, &all.at[i]);
	}
	vec_release(&all);
	elf_shut(&f);
	return ret;
}

static void find_interpreter(struct elf_file *f, struct elf_facts *facts)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &n))
		return;
	for (size_t i = 0; i < n && gelf_getphdr(f->elf, (int)i, &ph); i++)
		if (ph.p_type == PT_INTERP)
			facts->interpreter = true;
}

/* The GNU build id among the notes of @data, as hex. */
static bool build_id_in(Elf_Data *data, char *hex)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) != 0) {
		const unsigned char *p = (const unsigned char *)data->d_buf + desc;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((const char *)data->d_buf + name, "GNU", 4))
			continue;
		if (!note.n_descsz || note.n_descsz > (ELF_BUILD_ID_HEX - 1) / 2)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			snprintf(hex + 2 * i, 3, "%02x", p[i]);
		return true;
	}
	return false;
}

static void find_build_id(struct elf_file *f, struct elf_facts *facts)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf && build_id_in(data, facts->build_id))
			return;
	}
}

/* Does the dynamic section in @scn ask for a library whose name starts with @prefix? */
static bool needs(struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh, const char *prefix)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *name;

		if (dyn.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(f->elf, sh->sh_link, dyn.d_un.d_val);
		if (name && !strncmp(name, prefix, strlen(prefix)))
			return true;
	}
	return false;
}

static void find_sections(struct elf_file *f, struct elf_facts *facts)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = find_section(f, scn, SITES_SECTION, &sh)) != NULL)
		facts->has_sites |= sh.sh_size > 0;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			facts->needs_asan |= needs(f, scn, &sh, "libasan.so");
}

static bool has_symbol(const struct symbols *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i].name, name))
			return true;
	return false;
}

int elf_facts(const char *path, struct elf_facts *facts, struct err *err)
{
	struct symbols all = VEC_INIT;
	struct elf_file f;
	GElf_Ehdr eh;
	int ret = elf_open(&f, path, err);

	*facts = (struct elf_facts){0};
	if (ret)
		return ret;
	if (!gelf_getehdr(f.elf, &eh)) {
		ret = elf_damaged(&f, "header", err);
		goto shut;
	}
	facts->machine = eh.e_machine;
	facts->type = eh.e_type;
	facts->bits64 = gelf_getclass(f.elf) == ELFCLASS64;
	find_interpreter(&f, facts);
	find_build_id(&f, facts);
	find_sections(&f, facts);
	ret = read_symbols(&f, &all, err);
	facts->has_hooks = has_symbol(&all, ATTACH_SYMBOL);
	vec_release(&all);
	if (!ret && !facts->has_sites)
		ret = sections_read(&f, err);
shut:
	elf_shut(&f);
	return ret;
}
