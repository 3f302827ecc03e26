/* SPDX-License-Identifier: MIT */
/* Members under two std::mutexes: never touched at the same time as their neighbour, and yet fought for. */
#include "crew.h"

#include <mutex>

struct alignas(LINE) Padded {
	std::mutex mutex;
};

class Board
{
      public:
	NOIPA void post(long v)
	{
		std::lock_guard<std::mutex> hold(posts_guard.mutex);
		posts += v; /* <- */
	}
	NOIPA void reply(long v)
	{
		std::lock_guard<std::mutex> hold(replies_guard.mutex);
		replies += v; /* <- */
	}

      private:
	Padded posts_guard, replies_guard;
	long posts = 0;
	APART long replies = 0;
};

static Board board;

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 100; i++)
		if (id)
			board.reply(i);
		else
			board.post(i);
}

int main()
{
	crew(2, work);
}
