/* SPDX-License-Identifier: MIT */
#include "monitor/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#include "lib/html/frame.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/read/words.h"

#define RULES_MAX 256
#define RATE_MAX  1e12
#define MS_MAX    86400000.0

HTML_ASSET(rules_txt, "monitor/rules/rules.txt");
static const struct html_asset builtin = HTML_ASSET_OF(rules_txt);

const char *const rule_words[RULE_ANSWERS + 1] = {"move", "apart-in-time", "reduce", NULL};
const char *const rule_sentences[RULE_ANSWERS] = {
	"move it to another core, nearer to the thread that it shares with",
	"do not run it at the same time as the thread that it shares with",
	"fewer threads at once",
};

/* The @i-th word must be @name, and the number behind it is taken. */
static int take_number(const struct words *w, size_t i, const char *name, double most, double *to,
		       struct err *err)
{
	if (strcmp(w->word[i], name))
		return words_bad(w, err, "'%s' where '%s' is expected", w->word[i], name);
	if (num_double(w->word[i + 1], 0, most, to))
		return words_bad(w, err, "'%s' behind '%s': expected a number from 0 to %g", w->word[i + 1],
				 name, most);
	return 0;
}

static int take_answer(const struct words *w, struct rule *r, struct err *err)
{
	if (strcmp(w->word[11], "answer"))
		return words_bad(w, err, "'%s' where 'answer' is expected", w->word[11]);
	for (size_t i = 0; i < RULE_ANSWERS; i++)
		if (!strcmp(w->word[12], rule_words[i])) {
			r->answer = (enum rule_answer)i;
			return 0;
		}
	return words_bad(w, err, "'%s' is no answer: move, apart-in-time or reduce", w->word[12]);
}

static uint64_t ns_of_ms(double ms)
{
	return (uint64_t)(ms * 1e6);
}

static int take_fields(const struct words *w, struct rule *r, struct err *err)
{
	double begin, end, within = 2000;
	int ret = take_number(w, 3, "above", RATE_MAX, &r->above, err);

	r->helps = 20;
	if (!ret)
		ret = take_number(w, 5, "for", MS_MAX, &begin, err);
	if (!ret)
		ret = take_number(w, 7, "below", RATE_MAX, &r->below, err);
	if (!ret)
		ret = take_number(w, 9, "for", MS_MAX, &end, err);
	if (!ret)
		ret = take_answer(w, r, err);
	if (!ret && w->n == 17)
		ret = take_number(w, 13, "helps", 100, &r->helps, err);
	if (!ret && w->n == 17)
		ret = take_number(w, 15, "within", MS_MAX, &within, err);
	if (ret)
		return ret;
	if (r->above <= 0 || r->below > r->above)
		return words_bad(w, err, "below %s is not below above %s", w->word[8], w->word[4]);
	r->begin_ns = ns_of_ms(begin);
	r->end_ns = ns_of_ms(end);
	r->within_ns = ns_of_ms(within);
	return 0;
}

static int take_rule(struct rules *r, const struct words *w, struct err *err)
{
	struct rule new = {.name = NULL};
	int ret;

	if (strcmp(w->word[0], "rule"))
		return words_bad(w, err, "'%s': expected rule", w->word[0]);
	if (w->n != 13 && w->n != 17)
		return words_bad(w, err,
				 "%zu words, expected 'rule NAME EVENT above RATE for MS below RATE for MS "
				 "answer WORD [helps PERCENT within MS]'",
				 w->n);
	if (r->n == RULES_MAX)
		return words_bad(w, err, "more than %d rules", RULES_MAX);
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->at[i].name, w->word[1]))
			return words_bad(w, err, "rule '%s' stands twice", w->word[1]);
	ret = take_fields(w, &new, err);
	if (ret)
		return ret;
	new.name = mem_strdup(w->word[1]);
	new.event = mem_strdup(w->word[2]);
	vec_push(r, new);
	return 0;
}

int rules_read(struct rules *r, const char *path, const char *text, size_t len, struct err *err)
{
	struct words w;
	int ret = words_open(&w, path, text, len, "perseus-rules", err);

	*r = (struct rules)VEC_INIT;
	if (ret)
		return ret;
	while ((ret = words_next(&w, err)) > 0) {
		ret = take_rule(r, &w, err);
		if (ret)
			break;
	}
	words_close(&w);
	if (ret)
		rules_release(r);
	return ret;
}

int rules_builtin(struct rules *r, struct err *err)
{
	return rules_read(r, "rules.txt", builtin.text, (size_t)(builtin.end - builtin.text), err);
}

void rules_release(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->at[i].name);
		free(r->at[i].event);
	}
	vec_release(r);
}
