/* SPDX-License-Identifier: MIT */
/*
 * Histograms of two threads, one behind the other.  Whether they fight hangs
 * on the data: INPUT 1 has bright bytes in the first thread's half and dark ones
 * in the other's, which are counted in the last bin of one histogram and the first
 * of the next, in one line; INPUT 2 has bytes from the middle.
 */
#include "crew.h"

struct histogram {
	int bin[256];
};

/* The second one begins in the middle of a line. */
static ALIGNED struct {
	long images[4];
	struct histogram of[2];
} histograms;
static ALIGNED unsigned char image[2][8192];

static NOIPA void count(struct histogram *h, const unsigned char *p, int n)
{
	for (int i = 0; i < n; i++)
		h->bin[p[i]]++; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE count(&histograms.of[id], image[id], sizeof(image[id]));
}

int main(void)
{
	uint32_t r = 1;

	for (size_t i = 0; i < sizeof(image[0]); i++) {
		image[0][i] = (unsigned char)(INPUT == 1 ? 252 + crew_random(&r) % 4 : 80 + crew_random(&r) % 64);
		image[1][i] = (unsigned char)(INPUT == 1 ? crew_random(&r) % 4 : 80 + crew_random(&r) % 64);
	}
	crew(2, work);
	return 0;
}
