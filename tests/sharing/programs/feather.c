/* SPDX-License-Identifier: MIT */
/*
 * Two threads and an array of volatile ints, in the manner of the small tests of
 * Feather: KIND 1 both write, 2 one reads and one writes, 3 each writes two words in turns with the
 * other's, 4 write-only with a far word each as well, 5 both write the same word (true).
 */
#include "crew.h"

#ifdef FIXED
#define GAP 16
#else
#define GAP 1
#endif

static ALIGNED volatile int word[96];

static void work(int id)
{
	int me = id * GAP, sum = 0;

	FOR_A_WHILE for (int i = 0; i < 1000; i++) {
#if KIND == 1
		word[me]++; /* <- */
#elif KIND == 2
		if (id)
			word[me]++; /* <- */
		else
			sum += word[me]; /* <- */
#elif KIND == 3
		word[me]++; /* <- */
		word[me + 2 * GAP]++; /* <- */
#elif KIND == 4
		word[me] += 3; /* <- */
		word[48 + 16 * id] = i;
#else
		word[0 * me]++; /* <- */
#endif
	}
	word[80 + 8 * id] = sum;
}

int main(void)
{
	crew(2, work);
	return 0;
}
