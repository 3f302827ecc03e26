/* SPDX-License-Identifier: MIT */
#include "evidence/gates/decisions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the processor numbers them, and objdump writes them. */
static const char *const conditions[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
					 "s", "ns", "p", "np", "l", "ge", "le", "g"};
#define N_CONDITIONS (sizeof(conditions) / sizeof(conditions[0]))
#define CARRY        2

static int decisions_condition(const char *name)
{
	for (size_t i = 0; i < N_CONDITIONS; i++)
		if (!strcmp(name, conditions[i]))
			return (int)i;
	return -1;
}

static void decisions_watch(struct decisions *d, unsigned long at, int number, size_t *count)
{
	strbuf_printf(&d->list, "c %lx %s %d\n", at, d->function, number);
	++*count;
}

static void unknown(struct decisions *d, unsigned long at, const char *what)
{
	strbuf_printf(&d->unknown, "%s+0x%lx %s\n", d->function, at, what);
	d->n_unknown++;
}

/* "402010" of "lea    0xd5b(%rip),%rdx        # 402010 <x>"; 0: none. */
static unsigned long comment_address(const char *operands)
{
	const char *at = strstr(operands, "# ");

	return at ? strtoul(at + 2, NULL, 16) : 0;
}

/*
 * gcc and clang compare with the last number first, and take the table's address
 * behind that: `cmp $9; ja; lea TABLE(%rip); movslq; add; jmp *`, or, not for PIE,
 * `jmp *TABLE(,%rax,8)`.  A jump by a register without that is a call by a pointer.
 */
static void by_table(struct decisions *d, unsigned long at, const char *operands)
{
	const char *absolute = strstr(operands, "(,%");
	unsigned long table = absolute ? strtoul(operands + 1, NULL, 16) : d->distances ? d->table : 0;

	if (!table)
		return;
	d->tables++;
	if (d->bound && d->bound <= 256)
		strbuf_printf(&d->list, "t %lx %s %lx %lu %d\n", at, d->function, table, d->bound,
			      absolute ? 8 : 4);
	else
		unknown(d, at, "a table of unknown length");
}

static void jump(struct decisions *d, unsigned long at, const char *word, const char *operands)
{
	int number = decisions_condition(word + 1);

	if (!strcmp(word, "jmp") || !strcmp(word, "jmpq")) {
		if (*operands == '*')
			by_table(d, at, operands);
		d->table = 0;
		d->distances = false;
	} else if (number >= 0) {
		decisions_watch(d, at, number, &d->jumps);
	} else {
		unknown(d, at, word);
	}
}

static void instruction(struct decisions *d, unsigned long at, const char *word, const char *operands)
{
	int number = !strncmp(word, "set", 3) ? decisions_condition(word + 3) : -1;

	if (!strncmp(word, "cmov", 4))
		number = decisions_condition(word + 4);
	if (!strncmp(word, "sbb", 3) || !strncmp(word, "adc", 3))
		number = CARRY;
	if (*word == 'j')
		jump(d, at, word, operands);
	else if (number >= 0)
		decisions_watch(d, at, number, &d->moves);
	else if (!strncmp(word, "cmov", 4))
		unknown(d, at, word);
	else if (!strncmp(word, "cmp", 3) && *operands == '$')
		d->bound = strtoul(operands + 1, NULL, 16) + 1;
	else if (!strncmp(word, "lea", 3))
		d->table = comment_address(operands);
	else if (!strncmp(word, "movslq", 6))
		d->distances = d->table != 0;
}

static bool is_prefix(const char *word)
{
	static const char *const prefixes[] = {"notrack", "bnd", "lock", "rep", "repz", "repnz", "cs", "ds"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strcmp(word, prefixes[i]))
			return true;
	return false;
}

bool decisions_line(void *arg, char *line)
{
	struct decisions *d = arg;
	unsigned long at;
	char name[120], word[16];
	int end = 0;
	char *s;

	if (sscanf(line, "%lx <%119[^>]>:", &at, name) == 2) {
		strcpy(d->function, name);
		d->looked_at = d->ours(d->ctx, name);
		d->bound = d->table = 0;
		d->distances = false;
		return true;
	}
	s = strchr(line, ':');
	if (!d->looked_at || !s || sscanf(line, " %lx:", &at) != 1)
		return true;
	for (s++; sscanf(s, " %15s%n", word, &end) == 1; s += end)
		if (!is_prefix(word)) {
			s += end;
			instruction(d, at, word, s + strspn(s, " \t"));
			break;
		}
	return true;
}
