/* SPDX-License-Identifier: MIT */
/* setjmp, longjmp out of several frames, computed goto, nested functions that jump out. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf top;
static int seen[8];

__attribute__((noinline)) static void deep(int n)
{
	seen[n & 7]++;
	if (n == 0)
		longjmp(top, 7);
	deep(n - 1);
	seen[n & 7]--;
}

static int machine(const unsigned char *code)
{
	static void *const op[] = { &&add, &&twice, &&less, &&stop };
	int acc = 1;

	goto *op[*code++];
add:
	acc += 3;
	goto *op[*code++];
twice:
	acc *= 2;
	goto *op[*code++];
less:
	acc -= 1;
	goto *op[*code++];
stop:
	return acc;
}

static int nested(int n)
{
	__label__ out;
	int found = -1;
	void look(int i)
	{
		if (i * i > n) {
			found = i;
			goto out;
		}
		look(i + 1);
	}

	look(1);
out:
	return found;
}

int main(void)
{
	volatile int round = 0;
	int r = setjmp(top);

	if (round++ < 3)
		deep(round + 2);
	printf("%d %d %d %d\n", r, round, seen[0], seen[3]);
	printf("%d %d\n", machine((const unsigned char *)"\0\1\2\1\0\3"), nested(200));
	return 3;
}
