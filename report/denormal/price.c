/* SPDX-License-Identifier: MIT */
/*
 * What denormals cost.  An operation meets one as a birth (only the result is denormal), on
 * its way (operand and result are) or at its death (only an operand is).  The low end is
 * beside other work, the high end in a chain of operations that wait for one another.
 */
#include <stdio.h>
#include <string.h>

#include "lib/html/frame.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "report/denormal/parts.h"

static bool operation_of(uint32_t kind, enum platform_fp *operation)
{
	switch (kind) {
	case PRS_DEN_LOAD:
		*operation = PLATFORM_FP_LOAD;
		return true;
	case PRS_DEN_STORE:
		*operation = PLATFORM_FP_STORE;
		return true;
	case PRS_DEN_ADD:
	case PRS_DEN_SUB:
	case PRS_DEN_COMPARE:
		*operation = PLATFORM_FP_ADD;
		return true;
	case PRS_DEN_MUL:
		*operation = PLATFORM_FP_MUL;
		return true;
	case PRS_DEN_DIV:
		*operation = PLATFORM_FP_DIV;
		return true;
	case PRS_DEN_SQRT:
		*operation = PLATFORM_FP_SQRT;
		return true;
	case PRS_DEN_FMA:
		*operation = PLATFORM_FP_FMA;
		return true;
	case PRS_DEN_CONVERT:
		*operation = PLATFORM_FP_CONVERT;
		return true;
	default:
		return false;
	}
}

static double less(uint64_t a, uint64_t b)
{
	return (double)(a < b ? a : b);
}

static double more(uint64_t a, uint64_t b)
{
	return (double)(a > b ? a : b);
}

bool denormal_price(const struct platform *p, const struct denormal_site *s, struct denormal_counts *n)
{
	double born = (double)s->births, died = (double)s->deaths;
	double passed = s->results > s->births ? (double)(s->results - s->births) : 0;
	const struct platform_denormal *price = NULL;
	enum platform_fp operation;

	if (!s->results && !s->births && !s->deaths)
		return true;
	if (s->kind == PRS_DEN_COPY)
		return true;
	if ((s->type == PRS_DEN_FLOAT || s->type == PRS_DEN_DOUBLE) && operation_of(s->kind, &operation))
		price = platform_denormal(p, operation,
					  s->type == PRS_DEN_FLOAT ? PLATFORM_FP_FLOAT : PLATFORM_FP_DOUBLE);
	if (!price)
		return false;
	n->low_ps += born * less(price->result_ps, price->result_chain_ps) +
		     died * less(price->operand_ps, price->operand_chain_ps) +
		     passed * less(price->both_ps, price->both_chain_ps);
	n->high_ps += born * more(price->result_ps, price->result_chain_ps) +
		      died * more(price->operand_ps, price->operand_chain_ps) +
		      passed * more(price->both_ps, price->both_chain_ps);
	return true;
}

/* ---- processors that others measured ---- */

HTML_ASSET(cited_txt, "report/denormal/cited.txt");
static const struct html_asset table = HTML_ASSET_OF(cited_txt);

struct cited_row {
	char cpu[64], operation[16], source[160];
	unsigned long long low_ps, high_ps; /* of one operation that meets a denormal */
};

/* The row that begins at *@at, which goes on to the next line; 0: comment or blank line. */
static int row_at(const char **at, struct cited_row *row)
{
	char line[512];
	const char *end = memchr(*at, '\n', (size_t)(table.end - *at));
	size_t len = (size_t)((end ? end : table.end) - *at);

	snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : sizeof(line) - 1), *at);
	*at = end ? end + 1 : table.end;
	if (*line == '#' || !*line)
		return 0;
	return sscanf(line, "%63[^|]| %15[a-z] | %llu %llu | %159[^\n]", row->cpu, row->operation,
		      &row->low_ps, &row->high_ps, row->source);
}

static bool fp_named(const char *name, enum platform_fp *operation)
{
	for (int i = 0; i < PLATFORM_FP_N; i++)
		if (!strcmp(platform_fp_name((enum platform_fp)i), name)) {
			*operation = (enum platform_fp)i;
			return true;
		}
	return false;
}

static void add_row(struct platform *p, const struct cited_row *row)
{
	for (int type = 0; type < PLATFORM_FP_TYPES; type++) {
		struct platform_denormal d = {.type = (enum platform_fp_type)type,
					      .operand_ps = row->low_ps,
					      .operand_chain_ps = row->high_ps,
					      .result_ps = row->low_ps,
					      .result_chain_ps = row->high_ps,
					      .both_ps = row->low_ps,
					      .both_chain_ps = row->high_ps};

		if (!fp_named(row->operation, &d.operation))
			continue;
		p->denormal = mem_resize(p->denormal, p->n_denormal + 1, sizeof(*p->denormal));
		p->denormal[p->n_denormal++] = d;
	}
}

/* The prices of the @i-th processor of the table. */
static bool cited_platform(size_t i, struct platform *p, struct denormal_cited *out)
{
	struct cited_row row;
	char cpu[64] = "";
	size_t n = 0;

	for (const char *at = table.text; at < table.end;) {
		if (row_at(&at, &row) != 5)
			continue;
		row.cpu[strcspn(row.cpu, "\n")] = '\0';
		while (*row.cpu && row.cpu[strlen(row.cpu) - 1] == ' ')
			row.cpu[strlen(row.cpu) - 1] = '\0';
		n += strcmp(row.cpu, cpu) != 0;
		memcpy(cpu, row.cpu, sizeof(cpu));
		if (n != i + 1)
			continue;
		add_row(p, &row);
		memcpy(out->cpu, row.cpu, sizeof(out->cpu));
		if (!*out->source)
			memcpy(out->source, row.source, sizeof(out->source));
	}
	return p->n_denormal > 0;
}

bool denormal_cited(size_t i, const struct denormal_run *run, struct denormal_cited *out)
{
	struct denormal_counts n = {0};
	struct platform p = {0};

	*out = (struct denormal_cited){.unpriced = 0};
	if (!cited_platform(i, &p, out))
		return false;
	for (size_t k = 0; k < run->counts.sites.n; k++) {
		const struct denormal_site *s = &run->counts.sites.at[k];

		if (!denormal_price(&p, s, &n))
			out->unpriced += s->results + s->deaths;
	}
	out->low_ps = n.low_ps;
	out->high_ps = n.high_ps;
	free(p.denormal);
	return true;
}
