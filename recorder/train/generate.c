/* SPDX-License-Identifier: MIT */
#include "recorder/train/generate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/rng.h"
#include "recorder/train/segments.h"

#define MIX_FAMILIES 8 /* mixes are left out of a fit in so many groups */

uint32_t train_n_basis(void)
{
	return (uint32_t)train_n_segments;
}

static void make_basis(struct train_program *p, uint32_t number)
{
	snprintf(p->name, sizeof(p->name), "b-%s", train_segments[number].name);
	snprintf(p->family, sizeof(p->family), "%s", train_segments[number].family);
	p->n = 1;
	p->part[0].segment = number;
	p->part[0].rounds = 8;
}

static bool has_segment(const struct train_program *p, size_t segment)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->part[i].segment == segment)
			return true;
	return false;
}

static void make_mix(struct train_program *p, uint64_t seed, uint32_t number)
{
	struct rng r = rng_keyed(seed, number, 17, 0);
	size_t parts = 2 + rng_below(&r, TRAIN_MOST_PARTS - 1);

	snprintf(p->name, sizeof(p->name), "mix-%llx-%u", (unsigned long long)seed, number);
	snprintf(p->family, sizeof(p->family), "mix-%u", number % MIX_FAMILIES);
	while (p->n < parts) {
		size_t segment = rng_below(&r, train_n_segments);

		if (has_segment(p, segment))
			continue;
		p->part[p->n].segment = segment;
		p->part[p->n++].rounds = 1 + (uint32_t)rng_below(&r, 20);
	}
}

void train_program_make(struct train_program *p, uint64_t seed, uint32_t number)
{
	memset(p, 0, sizeof(*p));
	if (number < train_n_basis())
		make_basis(p, number);
	else
		make_mix(p, seed, number - train_n_basis());
}

static const char head[] = "#define _GNU_SOURCE\n"
			   "#include <math.h>\n"
			   "#include <pthread.h>\n"
			   "#include <sched.h>\n"
			   "#include <stdatomic.h>\n"
			   "#include <stdio.h>\n"
			   "#include <stdlib.h>\n"
			   "#include <string.h>\n"
			   "#include <sys/mman.h>\n"
			   "#include <sys/syscall.h>\n"
			   "#include <time.h>\n"
			   "#include <unistd.h>\n\n"
			   "struct state {\n"
			   "\tunsigned long x, y;\n"
			   "\tdouble d;\n"
			   "\tunsigned char *mem;\n"
			   "\tlong calls;\n"
			   "\t_Atomic long own;\n"
			   "\tint number;\n"
			   "} __attribute__((aligned(128)));\n\n"
			   "static double end;\n"
			   "static volatile double sink;\n\n"
			   "static double now(void)\n{\n"
			   "\tstruct timespec t;\n\n"
			   "\tclock_gettime(CLOCK_MONOTONIC, &t);\n"
			   "\treturn t.tv_sec + 1e-9 * t.tv_nsec;\n}\n\n";

static const char tail[] = "\nint main(int argc, char **argv)\n{\n"
			   "\tint n = argc > 1 ? atoi(argv[1]) : 1;\n"
			   "\tstruct state *s = aligned_alloc(128, (size_t)n * sizeof(*s));\n"
			   "\tpthread_t *t = calloc((size_t)n, sizeof(*t));\n"
			   "\tlong calls = 0;\n\n"
			   "\tmemset(s, 0, (size_t)n * sizeof(*s));\n"
			   "\tend = now() + (argc > 2 ? atof(argv[2]) : 0.1);\n"
			   "\tfor (int i = 0; i < n; i++) {\n"
			   "\t\ts[i].number = i;\n"
			   "\t\tif (i && pthread_create(&t[i], NULL, work, &s[i]))\n"
			   "\t\t\treturn 1;\n"
			   "\t}\n"
			   "\twork(&s[0]);\n"
			   "\tfor (int i = 0; i < n; i++) {\n"
			   "\t\tif (i)\n\t\t\tpthread_join(t[i], NULL);\n"
			   "\t\tcalls += s[i].calls;\n"
			   "\t}\n"
			   "\tprintf(\"calls %ld\\n\", calls);\n"
			   "\treturn 0;\n}\n";

static void put_indented(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		strbuf_printf(out, "\t%.*s\n", (int)len, text);
		text += len + (text[len] != '\0');
	}
}

static void put_segment(struct strbuf *out, size_t number)
{
	const struct segment *g = &train_segments[number];

	strbuf_printf(out, "%sstatic __attribute__((noinline)) void segment_%zu(struct state *s)\n{\n",
		      g->before, number);
	put_indented(out, g->round);
	strbuf_puts(out, "}\n\n");
}

void train_program_text(const struct train_program *p, struct strbuf *out)
{
	size_t memory = 0;

	strbuf_printf(out, "/* %s */\n%s", p->name, head);
	for (size_t i = 0; i < p->n; i++) {
		const struct segment *g = &train_segments[p->part[i].segment];

		put_segment(out, p->part[i].segment);
		memory = g->memory > memory ? g->memory : memory;
	}
	strbuf_puts(out, "static void *work(void *arg)\n{\n\tstruct state *s = arg;\n\n");
	if (memory)
		strbuf_printf(
			out,
			"\ts->mem = malloc(%zu);\n\tif (!s->mem)\n\t\texit(1);\n\tmemset(s->mem, 1, %zu);\n",
			memory, memory);
	strbuf_puts(out, "\tdo {\n");
	for (size_t i = 0; i < p->n; i++)
		strbuf_printf(out, "\t\tfor (int i = 0; i < %u; i++)\n\t\t\tsegment_%zu(s);\n",
			      p->part[i].rounds, p->part[i].segment);
	strbuf_printf(
		out,
		"\t} while (now() < end);\n\tsink += s->d + (double)(s->x + s->y);\n\treturn NULL;\n}\n%s",
		tail);
}
