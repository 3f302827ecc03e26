/* SPDX-License-Identifier: MIT */
/*
 * libc keeps address, size and guard of a thread's stack in three words, one
 * behind the other, of the block that the thread pointer shows.  Where is no
 * part of its interface; but only there is a size that leads from below the
 * stack pointer to just behind that block.
 */
#include "arch/own.h"
#include "runtime/base/rt.h"
#include "runtime/base/stack.h"

#define BLOCK_FROM 0x280u /* libc's header of the block */
#define BLOCK_TO   0x8c0u
#define ABOVE_MAX  16384u /* from the block to the end of the stack */
#define LOW_MIN    65536u /* nothing is mapped below */
#define BYTES_MAX  (1ull << 40)

static bool stack_fits(const uint64_t *w, uint64_t tp, uint64_t sp)
{
	uint64_t end = w[0] + w[1];

	/* A flag in front of an address leads there, too: it is no start, and the address no size. */
	return w[0] >= LOW_MIN && w[1] < BYTES_MAX && w[2] < w[1] && end - tp - 1 < ABOVE_MAX &&
	       w[0] + w[2] < sp;
}

static bool of_thread(struct rt_stack *s)
{
	uint64_t tp = arch_thread_pointer(), sp = (uint64_t)__builtin_frame_address(0);

	for (uint64_t at = tp + BLOCK_FROM; at < tp + BLOCK_TO; at += sizeof(uint64_t)) {
		const uint64_t *w = (const uint64_t *)at;

		if (!stack_fits(w, tp, sp))
			continue;
		s->low = w[0] + w[2];
		s->high = w[0] + w[1];
		return true;
	}
	return false;
}

/* What a line of the list of mappings begins with. */
struct line {
	uint64_t start, end;
	uint32_t word; /* 0 start, 1 end, 2: the rest */
};

/* True at the end of a line. */
static bool line_take(struct line *l, char c)
{
	uint64_t *v = l->word ? &l->end : &l->start;
	uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a') + 10;

	if (c == '\n')
		return true;
	if (l->word < 2 && digit < 16)
		*v = *v << 4 | digit;
	else if (l->word < 2)
		l->word++;
	return false;
}

/* @s->low is the end of the mapping below until the right line comes. */
static bool of_lines(int fd, uint64_t sp, struct rt_stack *s)
{
	struct line l = {0};
	char text[1024];
	long n;

	while ((n = sys_read(fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n; i++) {
			if (!line_take(&l, text[i]))
				continue;
			if (sp >= l.start && sp < l.end) {
				s->high = l.end;
				return true;
			}
			s->low = l.end;
			l = (struct line){0};
		}
	}
	return false;
}

static bool of_main(struct rt_stack *s)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0), bytes = sys_limit(RLIMIT_STACK).rlim_cur;
	int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	found = of_lines(fd, sp, s);
	sys_close(fd);
	bytes &= ~((uint64_t)PRS_PAGE_BYTES - 1);
	if (found && s->high - s->low > bytes)
		s->low = s->high - bytes;
	return found;
}

bool stack_find(struct rt_stack *s, bool main)
{
	*s = (struct rt_stack){0, 0};
	return main ? of_main(s) : of_thread(s);
}
