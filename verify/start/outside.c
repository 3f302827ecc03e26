/* SPDX-License-Identifier: MIT */
#include "verify/start/outside.h"

#include <string.h>

#include "verify/arch/insn.h"
#include "verify/elf/loader.h"
#include "verify/start/target.h"

struct watch {
	const struct image *e;
	const struct symbols *s;
	struct findings *list, *notes;
	bool stub; /* the integrator of the platform file creates threads */
	bool dynamic;
};

/* What programs may call: planned points, looked at elsewhere, the one that reads back, and posix's creation. */
static bool is_open(const char *name)
{
	uint32_t number;

	return generated_kind(name, &number) < GEN_HASH || !strcmp(name, "perseus_recheck") ||
	       !strcmp(name, "perseus_thread_create");
}

/* What the integrator of the stub calls where the system creates threads. */
static bool is_duty(const char *name)
{
	return !strcmp(name, "perseus_creation_take") || !strcmp(name, "perseus_creation_undo") ||
	       !strcmp(name, "perseus_thread_enter");
}

/* The generated function that begins at @address, or NULL. */
static const char *function_at(const struct symbols *s, uint64_t address)
{
	for (size_t i = symbols_at(s, address); i < s->n_places && s->place[i].address == address; i++)
		if (s->place[i].type == STT_FUNC && symbols_ours(&s->place[i]))
			return s->place[i].name;
	return NULL;
}

/* The generated variable that holds @address, or NULL. */
static const char *variable_round(const struct symbols *s, uint64_t address)
{
	size_t low = 0, high = s->n_places;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->place[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		const struct image_symbol *p = &s->place[i - 1];

		if (p->type == STT_OBJECT && symbols_ours(p) && address - p->address < p->size)
			return p->name;
	}
	return NULL;
}

static void check_data(const struct watch *w, const struct image_symbol *f, const struct insn *insn)
{
	bool constant = w->e->head.e_type == ET_EXEC && !insn->data;
	uint64_t address = constant ? insn->constant : insn->data;
	const char *function = address ? function_at(w->s, address) : NULL;
	const char *variable = address ? variable_round(w->s, address) : NULL;

	if (function && !is_open(function) && (constant || insn->access == ACCESS_ADDRESS))
		findings_add(w->list, "`%s` takes the address of %s: it could be called from there", f->name,
			     function);
	if (!variable || (!constant && insn->access == ACCESS_LOAD))
		return;
	if (constant || insn->access == ACCESS_ADDRESS)
		findings_add(w->notes, "that `%s` only reads %s, whose address it takes", f->name, variable);
	else
		findings_add(w->list, "`%s` writes into %s", f->name, variable);
}

static void check_insn(const struct watch *w, const struct image_symbol *f, const struct insn *insn)
{
	const char *function;

	if (insn->flow != FLOW_CALL && insn->flow != FLOW_JUMP && insn->flow != FLOW_BRANCH) {
		check_data(w, f, insn);
		return;
	}
	function = function_at(w->s, insn->target);
	if (function && w->stub && is_duty(function))
		findings_add(w->notes, "that `%s` calls %s where the stub asks for it", f->name, function);
	else if (function && !is_open(function))
		findings_add(w->list, "`%s` calls %s, which is for the generated code alone", f->name,
			     function);
}

/* A register that was just given the address of a generated variable. */
struct held {
	const char *variable; /* NULL: none */
	int reg;
	uint32_t left; /* instructions for which that is believed */
};

#define BELIEVED 8

/* A store by it, straight behind, is one into the variable. */
static void check_held(const struct watch *w, const struct image_symbol *f, const struct insn *insn,
		       struct held *h)
{
	if (h->variable && insn->access == ACCESS_STORE && insn->base == h->reg && !insn->is_nop)
		findings_add(w->list, "`%s` writes into %s", f->name, h->variable);
	if (insn->flow != FLOW_NEXT || !h->left || insn->reg == h->reg)
		h->variable = NULL;
	h->left -= h->left > 0;
	if (insn->access == ACCESS_ADDRESS && insn->data && variable_round(w->s, insn->data))
		*h = (struct held){variable_round(w->s, insn->data), insn->reg, BELIEVED};
}

/* Functions that move threads; by `syscall` anything can be asked. */
static bool is_setter(const char *name)
{
	static const char *const setters[] = {"sched_setaffinity", "pthread_setaffinity_np",
					      "pthread_attr_setaffinity_np", "syscall"};

	for (size_t i = 0; i < sizeof(setters) / sizeof(*setters); i++)
		if (symbols_same(name, setters[i]))
			return true;
	return false;
}

/* What instruction @insn calls, or loads the address of, of such functions; NULL. */
static const char *setter_of(const struct watch *w, const struct insn *insn)
{
	const struct store *s = insn->data ? loader_at(w->e, insn->data) : NULL;
	struct target t = {0};

	if (s && s->import && is_setter(s->import))
		return s->import;
	if (insn->flow != FLOW_NEXT && insn->flow != FLOW_STOP)
		t = target_of(w->e, w->s, insn);
	if (!t.known)
		return NULL;
	if (t.import)
		return is_setter(t.import) ? t.import : NULL;
	for (size_t i = symbols_at(w->s, t.address);
	     i < w->s->n_places && w->s->place[i].address == t.address; i++)
		if (is_setter(w->s->place[i].name))
			return w->s->place[i].name;
	return NULL;
}

/* In a static program the C library's own system calls are among those of the program. */
static void check_setting(const struct watch *w, const struct image_symbol *f, const struct insn *insn,
			  const uint8_t *code, bool *said)
{
	bool is_library =
		!w->dynamic && !strncmp(f->name, "__", 2); /* its own, which a line names as a whole */
	const char *name = is_library ? NULL : setter_of(w, insn);

	if (!name && w->dynamic && insn_is_system(code, insn))
		name = "the system";
	if (name && !*said)
		findings_add(w->notes, "that `%s` moves no thread that the plan has placed: it calls %.40s",
			     f->name, name);
	*said |= name != NULL;
}

static void check_function(const struct watch *w, const struct image_symbol *f)
{
	struct held held = {NULL, 0, 0};
	bool said = false;
	const uint8_t *code = image_at(w->e, f->address, (size_t)f->size);
	struct insn insn;

	for (uint64_t at = 0; code && at < f->size; at += insn.size) {
		if (!insn_decode(code + at, (size_t)(f->size - at), f->address + at, &insn))
			return;
		check_setting(w, f, &insn, code + at, &said);
		check_held(w, f, &insn, &held);
		check_insn(w, f, &insn);
	}
}

/* A pointer at @place to something generated that may change. */
static void check_pointer_to(const struct watch *w, uint64_t place, uint64_t value)
{
	const char *variable = variable_round(w->s, value);

	if (variable && strcmp(variable, "perseus_thread_table") && !variable_round(w->s, place))
		findings_add(w->notes, "that nobody writes into %s, to which a pointer at 0x%llx leads",
			     variable, (unsigned long long)place);
}

static void check_pointer(const struct watch *w, uint64_t place, uint64_t value)
{
	const char *function = function_at(w->s, value);

	check_pointer_to(w, place, value);
	if (function && !is_open(function))
		findings_add(w->list, "the pointer at 0x%llx is %s: it could be called from there",
			     (unsigned long long)place, function);
}

/* Pointers in data of a file with fixed addresses: wherever they are, since not all are aligned. */
static void check_words(const struct watch *w, size_t section)
{
	const Elf64_Shdr *h = &w->e->section[section];
	size_t size;
	const uint8_t *data = image_bytes(w->e, section, &size);

	for (size_t at = 0; data && at + sizeof(uint64_t) <= size; at++) {
		uint64_t value;

		memcpy(&value, data + at, sizeof(value));
		if (value >> 32 || !value || loader_at(w->e, h->sh_addr + at))
			continue;
		if (!((h->sh_addr + at) % 8) || function_at(w->s, value))
			check_pointer(w, h->sh_addr + at, value);
	}
}

static bool has_words(const struct image *e, const Elf64_Shdr *h)
{
	return e->head.e_type == ET_EXEC && h->sh_flags & SHF_ALLOC && !(h->sh_flags & SHF_EXECINSTR) &&
	       (h->sh_type == SHT_PROGBITS || h->sh_type == SHT_INIT_ARRAY || h->sh_type == SHT_FINI_ARRAY ||
		h->sh_type == SHT_PREINIT_ARRAY);
}

void outside_check(const struct image *e, const struct symbols *s, struct findings *list,
		   struct findings *notes)
{
	struct watch w = {e,
			  s,
			  list,
			  notes,
			  target_backend(s) == BACKEND_STUB,
			  image_find(e, SHT_DYNAMIC, 0) < e->n_sections};

	for (size_t i = 0; i < s->n_functions; i++)
		if (!symbols_inside(&s->function[i]) &&
		    (!i || s->function[i].address != s->function[i - 1].address))
			check_function(&w, &s->function[i]);
	for (size_t i = 0; i < e->n_sections; i++)
		if (has_words(e, &e->section[i]))
			check_words(&w, i);
	for (size_t i = 0; i < e->n_stores; i++)
		if (!e->store[i].import && e->store[i].type != RELOC_COPY)
			check_pointer(&w, e->store[i].place, e->store[i].value);
}
