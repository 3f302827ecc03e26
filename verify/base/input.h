/* SPDX-License-Identifier: MIT */
/* What the verifiers have in common: whole files, messages, lists of findings. */
#ifndef PERSEUS_VERIFY_BASE_INPUT_H
#define PERSEUS_VERIFY_BASE_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Exit codes, as in perseus(1). */
enum verdict {
	VERDICT_EQUAL = 0,
	VERDICT_DIFFERENT = 1,
	VERDICT_USAGE = 2,
	VERDICT_UNREADABLE = 4,
	VERDICT_INCONCLUSIVE = 5
};

/* Why a file cannot be judged; the functions that fill it return -1. */
struct fault {
	char text[512];
};

/* Bytes of what stands at @text and may be shown, 0: it may not be, and is one byte. */
size_t shown_bytes(const char *text);

/* Set the text; returns -1 for `return fault_set()`. */
int fault_set(struct fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A file in memory, with one zero byte behind its end. */
struct input {
	uint8_t *data;
	size_t size;
};

/* Read the regular file @path of at most @max bytes; -1 with a text that names it. */
int input_read(struct input *in, const char *path, size_t max, struct fault *f);

/* Free the contents. */
void input_release(struct input *in);

/* Findings in the order they were made; only their number is unbounded, each is one line. */
struct findings {
	char **line;
	size_t n;
};

/* Add one.  Characters that a terminal would act on are shown as '?'. */
void findings_add(struct findings *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print them, each indented on a line of its own. */
void findings_print(const struct findings *list);

/* Free the contents. */
void findings_release(struct findings *list);

/* Memory or the end of the program: array of @n elements of @bytes, zeroed. */
void *need(size_t n, size_t bytes);

/* Room for one more in an array of @n elements of @bytes that grows by doubling; returns its new place. */
void *need_more(void *array, size_t n, size_t bytes);

#endif
