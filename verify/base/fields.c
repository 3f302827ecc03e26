/* SPDX-License-Identifier: MIT */
/* Typed access to the nodes of a document. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/yaml.h"

static int wrong(const struct vyaml *doc, uint32_t node, const char *key, const char *expected,
		 struct fault *f)
{
	return fault_set(f, "%s line %u: `%s` must be %s", doc->name, doc->node[node].line, key, expected);
}

static int absent(const struct vyaml *doc, uint32_t map, const char *key, bool optional, struct fault *f)
{
	if (optional)
		return 0;
	return fault_set(f, "%s line %u: `%s` is missing", doc->name, doc->node[map].line, key);
}

uint32_t vyaml_get(struct vyaml *doc, uint32_t map, const char *key)
{
	if (doc->node[map].kind != VYAML_MAP)
		return VYAML_NONE;
	for (uint32_t i = doc->node[map].first; i; i = doc->node[i].next)
		if (!strcmp(doc->node[i].key, key)) {
			doc->node[i].used = true;
			return i;
		}
	return VYAML_NONE;
}

/* Decimal, no sign; leading zeros mean nothing, as for the readers of the documents. */
static int parse_number(const char *s, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > UINT64_MAX / 10 || n * 10 > UINT64_MAX - (uint64_t)(*s - '0'))
			return -1;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*out = n;
	return n > max ? -1 : 0;
}

int vyaml_number(struct vyaml *doc, uint32_t map, const char *key, bool optional, uint64_t max, uint64_t *out,
		 struct fault *f)
{
	uint32_t id = vyaml_get(doc, map, key);
	char expected[64];

	if (!id)
		return absent(doc, map, key, optional, f);
	if (doc->node[id].kind == VYAML_WORD && !parse_number(doc->node[id].text, max, out))
		return 0;
	snprintf(expected, sizeof(expected), "a number from 0 to %llu", (unsigned long long)max);
	return wrong(doc, id, key, expected, f);
}

int vyaml_value(struct vyaml *doc, uint32_t id, uint64_t max, uint64_t *out, struct fault *f)
{
	if (doc->node[id].kind == VYAML_WORD && !parse_number(doc->node[id].text, max, out))
		return 0;
	return fault_set(f, "%s line %u: expected a number from 0 to %llu", doc->name, doc->node[id].line,
			 (unsigned long long)max);
}

int vyaml_real(struct vyaml *doc, uint32_t map, const char *key, bool optional, double *out, struct fault *f)
{
	uint32_t id = vyaml_get(doc, map, key);
	char *end = NULL;
	double n = -1;

	if (!id)
		return absent(doc, map, key, optional, f);
	if (doc->node[id].kind == VYAML_WORD && doc->node[id].text[0] >= '0' && doc->node[id].text[0] <= '9')
		n = strtod(doc->node[id].text, &end);
	if (!end || *end || !(n >= 0 && n <= DBL_MAX))
		return wrong(doc, id, key, "a number that is not negative", f);
	*out = n;
	return 0;
}

int vyaml_word(struct vyaml *doc, uint32_t map, const char *key, const char *const *words, uint32_t *out,
	       struct fault *f)
{
	uint32_t id = vyaml_get(doc, map, key);
	char expected[128] = "one of";

	if (!id)
		return absent(doc, map, key, false, f);
	for (uint32_t i = 0; words[i]; i++) {
		size_t n = strlen(expected);

		if (doc->node[id].kind == VYAML_WORD && !strcmp(doc->node[id].text, words[i])) {
			*out = i;
			return 0;
		}
		snprintf(expected + n, sizeof(expected) - n, " %s", words[i]);
	}
	return wrong(doc, id, key, expected, f);
}

int vyaml_text(struct vyaml *doc, uint32_t map, const char *key, bool optional, const char **out,
	       struct fault *f)
{
	uint32_t id = vyaml_get(doc, map, key);

	if (!id)
		return absent(doc, map, key, optional, f);
	if (doc->node[id].kind != VYAML_TEXT)
		return wrong(doc, id, key, "a text in double quotes", f);
	*out = doc->node[id].text;
	return 0;
}

int vyaml_list(struct vyaml *doc, uint32_t map, const char *key, bool optional, uint32_t *out,
	       struct fault *f)
{
	uint32_t id = vyaml_get(doc, map, key);

	if (!id)
		return absent(doc, map, key, optional, f);
	if (doc->node[id].kind != VYAML_LIST)
		return wrong(doc, id, key, "a list", f);
	*out = id;
	return 0;
}

int vyaml_bool(struct vyaml *doc, uint32_t map, const char *key, bool *out, struct fault *f)
{
	static const char *const words[] = {"false", "true", NULL};
	uint32_t value = 0;

	if (vyaml_word(doc, map, key, words, &value, f))
		return -1;
	*out = value == 1;
	return 0;
}

int vyaml_unused(const struct vyaml *doc, uint32_t map, struct fault *f)
{
	for (uint32_t i = doc->node[map].first; i; i = doc->node[i].next)
		if (!doc->node[i].used)
			return fault_set(f, "%s line %u: unknown key `%s`", doc->name, doc->node[i].line,
					 doc->node[i].key);
	return 0;
}
