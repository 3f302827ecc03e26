/* SPDX-License-Identifier: MIT */
/* Copies of one std::shared_ptr: its use count is shared truly. */
#include "crew.h"

#include <memory>

#ifdef FIXED
#define OBJECTS 2
#else
#define OBJECTS 1
#endif

struct alignas(LINE) Document {
	long text[8];
};

static std::shared_ptr<Document> documents[2];

NOIPA static long look(std::shared_ptr<Document> d)
{
	return d->text[3];
}

static void work(int id)
{
	std::shared_ptr<Document> mine = documents[id % OBJECTS];
	long sum = 0;

	FOR_A_WHILE for (int i = 0; i < 200; i++)
		sum += look(mine);
	if (sum == 1)
		abort();
}

int main()
{
	for (auto &d : documents)
		d = std::make_shared<Document>();
	crew(2, work);
}
