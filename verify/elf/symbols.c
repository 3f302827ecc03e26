/* SPDX-License-Identifier: MIT */
#include "verify/elf/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "perseus/triggers.h"

static bool is_probe(const char *name)
{
	return !strncmp(name, "__prs_", 6);
}

/* "K_begin", or another @end: K, or 0 if it has another form. */
static uint32_t create_number(const char *digits, const char *end)
{
	size_t n = strspn(digits, "0123456789");

	return n >= 1 && n <= 6 && digits[0] != '0' && !strcmp(digits + n, end) ? (uint32_t)atoi(digits) : 0;
}

/* "perseus_trigger_NNNN": NNNN, or 0. */
static uint32_t trigger_number(const char *digits)
{
	return strlen(digits) == 4 && strspn(digits, "0123456789") == 4 ? (uint32_t)atoi(digits) : 0;
}

enum generated generated_kind(const char *name, uint32_t *number)
{
	static const char create[] = "perseus_create_", flush[] = "perseus_flush_";
	static const char *const names[GEN_KINDS] = {
		[GEN_PROGRAM_START] = PRS_FN_PROGRAM_START,
		[GEN_CREATE_END] = PRS_FN_CREATE_END,
		[GEN_HASH] = "perseus_plan_sha256",
		[GEN_TABLE] = "perseus_thread_table",
	};

	*number = 0;
	for (int i = 0; i < GEN_KINDS; i++)
		if (names[i] && !strcmp(name, names[i]))
			return (enum generated)i;
	if (!strncmp(name, create, strlen(create)) && name[strlen(create)] >= '0' &&
	    name[strlen(create)] <= '9') {
		*number = create_number(name + strlen(create), "_begin");
		return GEN_CREATE_BEGIN;
	}
	if (!strncmp(name, flush, strlen(flush))) {
		enum generated kind = strstr(name, "_end") ? GEN_FLUSH_END : GEN_FLUSH_BEGIN;

		*number = create_number(name + strlen(flush), kind == GEN_FLUSH_END ? "_end" : "_begin");
		return kind;
	}
	if (!strncmp(name, PRS_TRIGGER_PREFIX, strlen(PRS_TRIGGER_PREFIX))) {
		*number = trigger_number(name + strlen(PRS_TRIGGER_PREFIX));
		return GEN_TRIGGER;
	}
	return GEN_OTHER;
}

static int symbols_by_address(const void *a, const void *b)
{
	const struct image_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int symbols_by_name(const void *a, const void *b)
{
	const struct image_symbol *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	if (order || (*x)->address == (*y)->address)
		return order;
	return (*x)->address < (*y)->address ? -1 : 1;
}

static void sort_names(struct symbols *s)
{
	s->by_name = need(s->n_places, sizeof(*s->by_name));
	for (size_t i = 0; i < s->n_places; i++)
		s->by_name[i] = &s->place[i];
	if (s->n_places)
		qsort(s->by_name, s->n_places, sizeof(*s->by_name), symbols_by_name);
}

static int by_generated_address(const void *a, const void *b)
{
	return symbols_by_address(&((const struct generated_symbol *)a)->s,
				  &((const struct generated_symbol *)b)->s);
}

/* Part of a generated function that the compiler moved elsewhere ("perseus_trigger_0001.cold"). */
static bool is_part(const char *name)
{
	return strchr(name, '.') != NULL;
}

static void symbols_take(struct symbols *out, const struct image_symbol *s)
{
	struct generated_symbol g = {.s = *s};

	if (is_probe(s->name)) {
		out->probe = s->name;
		out->n_probes++;
	}
	g.kind = generated_kind(s->name, &g.number);
	if (s->section == SHN_UNDEF) {
		if (g.kind != GEN_OTHER)
			out->undefined = s->name;
		return;
	}
	if (!strcmp(s->name, "pthread_create"))
		out->creates = true;
	if (!strcmp(s->name, "perseus_platform_start"))
		out->places = true;
	if (!strcmp(s->name, "__wrap_pthread_create"))
		out->wraps = true;
	if (g.kind != GEN_OTHER && !is_part(s->name)) {
		out->generated = need_more(out->generated, out->n_generated, sizeof(g));
		out->generated[out->n_generated++] = g;
	}
	if (s->section < SHN_LORESERVE && s->type != STT_SECTION && s->type != STT_FILE && s->name[0]) {
		out->place = need_more(out->place, out->n_places, sizeof(*s));
		out->place[out->n_places++] = *s;
	}
	if (s->type == STT_FUNC && s->size) {
		out->function = need_more(out->function, out->n_functions, sizeof(*s));
		out->function[out->n_functions++] = *s;
	}
}

bool symbols_ours(const struct image_symbol *s)
{
	static const char *const families[] = {"program_", "creat",   "trigger_", "platform_", "flush_",
					       "thread_",  "recheck", "stat",     "plan_",     "system_",
					       "instance", "key",     "PLAN_"};

	if (strncmp(s->name, "perseus_", 8))
		return false;
	if (s->bind == STB_LOCAL)
		return !s->file || !strncmp(s->file, "perseus_", 8) || strstr(s->file, "ltrans") ||
		       strchr(s->file, '<');
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strncmp(s->name + 8, families[i], strlen(families[i])))
			return true;
	return false;
}

bool symbols_inside(const struct image_symbol *s)
{
	return symbols_ours(s) || symbols_same(s->name, "pthread_create") ||
	       !strcmp(s->name, "__wrap_pthread_create");
}

int symbols_read(struct symbols *out, const struct image *e, struct fault *f)
{
	size_t table = image_find(e, SHT_SYMTAB, 0), n;
	const char *file = NULL;
	struct image_symbol s;

	*out = (struct symbols){0};
	if (table == e->n_sections)
		return fault_set(f, "'%s' has no symbol table: verify it before it is stripped", e->path);
	n = image_symbols(e, table);
	for (size_t i = 1; i < n; i++) {
		if (!image_symbol(e, table, i, &s))
			return fault_set(f, "'%s': symbol %zu is damaged", e->path, i);
		/* A file without a name stands before what the linker adds. */
		if (s.type == STT_FILE)
			file = s.name[0] ? s.name : NULL;
		s.file = s.bind == STB_LOCAL ? file : NULL;
		symbols_take(out, &s);
	}
	if (out->n_functions)
		qsort(out->function, out->n_functions, sizeof(*out->function), symbols_by_address);
	if (out->n_places)
		qsort(out->place, out->n_places, sizeof(*out->place), symbols_by_address);
	sort_names(out);
	if (out->n_generated)
		qsort(out->generated, out->n_generated, sizeof(*out->generated), by_generated_address);
	return 0;
}

void symbols_release(struct symbols *s)
{
	free(s->function);
	free(s->place);
	free(s->by_name);
	free(s->generated);
	*s = (struct symbols){0};
}

const struct image_symbol *symbols_function_at(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->n_functions;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->function[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address - s->function[low - 1].address >= s->function[low - 1].size)
		return NULL;
	return &s->function[low - 1];
}

size_t symbols_at(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->n_places;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->place[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_places && s->place[low].address == address ? low : s->n_places;
}

size_t symbols_named(const struct symbols *s, const char *name)
{
	size_t low = 0, high = s->n_places;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(s->by_name[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_places && !strcmp(s->by_name[low]->name, name) ? low : s->n_places;
}

bool symbols_same(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (symbol[n] == '\0' || symbol[n] == '.' || symbol[n] == '@');
}

bool symbols_has(const struct symbols *s, uint64_t address, const char *name)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++)
		if (symbols_same(s->place[i].name, name))
			return true;
	return false;
}

struct generated_symbol *symbols_generated(const struct symbols *s, enum generated kind, uint32_t number)
{
	for (size_t i = 0; i < s->n_generated; i++)
		if (s->generated[i].kind == kind && s->generated[i].number == number)
			return &s->generated[i];
	return NULL;
}
