/* SPDX-License-Identifier: MIT */
/* The result of perseus denormals --what-if. */
#include <math.h>
#include <stdio.h>

#include "cmd/denormals/attempt.h"
#include "lib/json.h"
#include "lib/num.h"

#define COLUMNS 80

const char *attempt_doubt(const struct attempt *w, const struct attempt_opts *o)
{
	const struct prs_flush *plain = &w->side[0].page, *flushed = &w->side[1].page;

	if (w->received)
		return "a signal ended it";
	if (!flushed->begun || flushed->failed)
		return "the library did not get into the program: it clears its environment, or its code "
		       "cannot be "
		       "changed";
	if (o->function && !flushed->entered)
		return "the function was never called: it was inlined, or is not needed";
	if (flushed->jumped)
		return "the function was left otherwise than by return, and the flush stayed on";
	if (flushed->changed)
		return "the program sets the floating-point environment itself, and ended the flush";
	if (flushed->foreign || plain->foreign)
		return "flush-to-zero was on before: somebody else (-ffast-math, a library?) had set it";
	if (plain->entered != flushed->entered)
		return "the function was called more or less often than without";
	if (!w->side[0].steady)
		return "the program puts out something else each time: what the flush changed cannot be told";
	if (!w->side[1].steady)
		return "flushed, the program puts out something else each time";
	return NULL;
}

static void put(struct strbuf *out, const char *head, const char *text)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_printf(&line, "%-10s%s\n", head, text);
	strbuf_wrap(out, line.s, "          ", COLUMNS);
	strbuf_release(&line);
}

static void put_ulp(struct strbuf *sb, const struct numbers_change *c)
{
	char n[32];

	if (c->float_ulp == UINT64_MAX)
		strbuf_puts(sb, "not a number");
	else if (c->float_ulp)
		strbuf_printf(sb, "%s ulp of float", num_group(n, sizeof(n), c->float_ulp));
	else
		strbuf_printf(sb, "%s ulp of double", num_group(n, sizeof(n), c->ulp));
}

static void put_change(const char *head, const char *name, const struct numbers_change *c, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	char a[32], b[32];

	if (name)
		strbuf_printf(&sb, "%s: ", name);
	if (c->equal) {
		strbuf_puts(&sb, "the same, bit by bit");
	} else if (!c->text) {
		strbuf_printf(&sb, "%s bits differ%s; --compare-by=COMMAND reads its format",
			      num_group(a, sizeof(a), c->bits), c->words_differ ? ", and the length" : "");
	} else {
		strbuf_printf(&sb, "%s of %s numbers differ", num_group(a, sizeof(a), c->differ),
			      num_group(b, sizeof(b), c->n));
		if (c->differ) {
			strbuf_printf(&sb, ", at most by %.2g of the value, %.3g, ", c->relative,
				      c->absolute);
			put_ulp(&sb, c);
			strbuf_printf(&sb, "; the largest is number %llu, %.9g became %.9g",
				      (unsigned long long)c->at, c->a, c->b);
		}
		if (c->words_differ)
			strbuf_puts(&sb, "; it differs in more than numbers");
	}
	put(out, head, sb.s);
	strbuf_release(&sb);
}

static void put_counts(const struct attempt *w, struct strbuf *out)
{
	const struct attempt_side *a = &w->side[0], *b = &w->side[1];
	struct strbuf sb = STRBUF_INIT;
	char x[32], y[32];

	if (!w->counted) {
		put(out, "denormals", "not counted: the program was not built to count them");
		return;
	}
	if (w->births_counted)
		strbuf_printf(&sb, "births %s, with the flush %s; ", num_group(x, sizeof(x), a->births),
			      num_group(y, sizeof(y), b->births));
	strbuf_printf(&sb, "results %s and ", num_group(x, sizeof(x), a->results));
	strbuf_printf(&sb, "%s; stores %s and ", num_group(x, sizeof(x), b->results),
		      num_group(y, sizeof(y), a->stores));
	strbuf_puts(&sb, num_group(x, sizeof(x), b->stores));
	put(out, "denormals", sb.s);
	strbuf_release(&sb);
}

static void put_region(const struct attempt *w, const struct attempt_opts *o, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	char n[32];

	if (o->function)
		strbuf_printf(&sb, "flush to zero in %s(): %s call%s", o->function,
			      num_group(n, sizeof(n), w->side[1].page.entered),
			      w->side[1].page.entered == 1 ? "" : "s");
	else
		strbuf_puts(&sb, "flush to zero in the whole program");
	put(out, "what-if", sb.s);
	strbuf_release(&sb);
}

static void put_time(const struct attempt *w, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;

	if (!w->done)
		return;
	strbuf_printf(&sb, "%.3f of the time without (95 %% interval %.3f to %.3f, %llu pairs)%s",
		      w->time.estimate, w->time.low, w->time.high, (unsigned long long)w->done,
		      w->time.low <= 1 && w->time.high >= 1 ? ": no difference was seen" : "");
	if (w->counted)
		strbuf_puts(&sb, "; of the build with counters");
	put(out, "time", sb.s);
	strbuf_release(&sb);
}

void attempt_text(const struct attempt *w, const struct attempt_opts *o, struct strbuf *out)
{
	const char *doubt = attempt_doubt(w, o);
	struct strbuf sb = STRBUF_INIT;

	put_region(w, o, out);
	if (doubt)
		put(out, "trust", doubt);
	put_counts(w, out);
	put_time(w, out);
	if (w->side[0].status != w->side[1].status) {
		strbuf_printf(&sb, "%d, with the flush %d", w->side[0].status, w->side[1].status);
		put(out, "status", sb.s);
	}
	put_change("output", NULL, &w->output, out);
	for (size_t i = 0; i < o->files.n; i++)
		put_change(i ? "" : "files", o->files.at[i], &w->files[i], out);
	if (o->compare) {
		sb.len = 0;
		strbuf_printf(&sb, "`%s` ends with %d", o->compare, w->compared);
		put(out, "compare", sb.s);
		strbuf_add(out, w->said.s ? w->said.s : "", w->said.len);
	}
	strbuf_release(&sb);
}

static void json_change(struct json *j, const char *key, const char *name, const struct numbers_change *c)
{
	json_object(j, key);
	if (name)
		json_string(j, "file", name);
	json_bool(j, "equal", c->equal);
	json_bool(j, "text", c->text);
	json_bool(j, "words_differ", c->words_differ);
	json_u64(j, "numbers", c->n);
	json_u64(j, "differ", c->differ);
	json_double(j, "relative", c->relative);
	json_double(j, "absolute", c->absolute);
	json_u64(j, "ulp", c->ulp);
	json_u64(j, "float_ulp", c->float_ulp);
	json_u64(j, "bits", c->bits);
	json_u64(j, "largest_at", c->at);
	json_double(j, "largest_was", c->a);
	json_double(j, "largest_became", c->b);
	json_end(j);
}

static void json_side(struct json *j, const char *key, const struct attempt *w, int side)
{
	const struct attempt_side *s = &w->side[side];

	json_object(j, key);
	json_u64(j, "status", (uint64_t)s->status);
	json_bool(j, "steady", s->steady);
	json_u64(j, "calls", s->page.entered);
	if (w->counted) {
		if (w->births_counted)
			json_u64(j, "births", s->births);
		json_u64(j, "results", s->results);
		json_u64(j, "stores", s->stores);
	}
	json_array(j, "seconds");
	for (uint64_t i = 0; i < w->done; i++)
		json_double(j, NULL, s->seconds[i]);
	json_end(j);
	json_end(j);
}

void attempt_json(const struct attempt *w, const struct attempt_opts *o, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "what_if", "ftz");
	json_string(&j, "function", o->function);
	json_string(&j, "doubt", attempt_doubt(w, o));
	json_bool(&j, "counted", w->counted);
	json_u64(&j, "seed", o->seed);
	json_u64(&j, "pairs", w->done);
	if (w->done) {
		json_double(&j, "time_ratio", w->time.estimate);
		json_double(&j, "time_ratio_low", w->time.low);
		json_double(&j, "time_ratio_high", w->time.high);
	}
	json_side(&j, "as_it_is", w, 0);
	json_side(&j, "flushed", w, 1);
	json_change(&j, "output", NULL, &w->output);
	json_array(&j, "files");
	for (size_t i = 0; i < o->files.n; i++)
		json_change(&j, NULL, o->files.at[i], &w->files[i]);
	json_end(&j);
	if (o->compare)
		json_u64(&j, "compare_status", (uint64_t)w->compared);
	json_end(&j);
	strbuf_puts(out, "\n");
}
