/* SPDX-License-Identifier: MIT */
#include "lib/nearest.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

size_t nearest_edits(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	size_t row[3][NEAREST_LONGEST + 1]; /* of @a's characters i, i - 1 and i - 2 */

	if (n > NEAREST_LONGEST || m > NEAREST_LONGEST)
		return SIZE_MAX;
	for (size_t k = 0; k <= m; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= n; i++) {
		memmove(row + 1, row, 2 * sizeof(row[0]));
		row[0][0] = i;
		for (size_t k = 1; k <= m; k++) {
			row[0][k] = least(row[1][k] + 1, row[0][k - 1] + 1,
					  row[1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    row[2][k - 2] + 1 < row[0][k])
				row[0][k] = row[2][k - 2] + 1;
		}
	}
	return row[0][m];
}

/* The only one that begins with @word. */
static const char *begun(const char *word, const char *const *words, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strncmp(word, words[i], strlen(word)))
			continue;
		if (found)
			return NULL;
		found = words[i];
	}
	return found;
}

const char *nearest_word(const char *word, const char *const *words, size_t n)
{
	size_t best = SIZE_MAX;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t edits = nearest_edits(word, words[i]);

		if (edits < best) {
			best = edits;
			found = words[i];
		}
	}
	if (found && 3 * best <= strlen(found) + 1)
		return found;
	return strlen(word) > 1 ? begun(word, words, n) : NULL;
}
