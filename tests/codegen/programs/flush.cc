// SPDX-License-Identifier: MIT
// A region that is left by exceptions, its own and those of what it calls.
#include <cstdio>
#include <cstdlib>
#include <xmmintrin.h>

static volatile float tiny = 2e-38f, quarter = 0.25f;
static int asked, flushed;

__attribute__((noinline)) static void look(int way)
{
	asked++;
	flushed += (_mm_getcsr() & 0x8040) == 0x8040;
	if (way == 1)
		throw 1;
}

struct held {
	int *n;
	~held() { ++*n; }
};

extern "C" float risky(float x, int way, int *freed)
{
	held h = {freed};

	look(way);
	if (way == 2)
		throw 2;
	try {
		look(way == 3);
	} catch (int) {
		return x * quarter;
	}
	return x * quarter * 2;
}

int main()
{
	float r = 0;
	int freed = 0, caught = 0;

	for (int way = 0; way < 4; way++) {
		try {
			r += risky(tiny, way, &freed);
		} catch (int) {
			caught++;
		}
		std::printf("way %d: outside %04x\n", way, _mm_getcsr() & 0xffc0);
	}
	std::printf("%d of %d flushed, caught %d, freed %d, result %g\n", flushed, asked, caught, freed, (double)r);
	return 0;
}
