/* SPDX-License-Identifier: MIT */
/* Members that are of a class of the C++ library: people know the variable that they wrote. */
#include "crew.h"

#include <array>
#include <atomic>
#include <memory>
#include <thread>

NOIPA static void add(std::atomic<long> &sum)
{
	sum.fetch_add(1, std::memory_order_relaxed); /* <- */
}

NOIPA static void count(long &n)
{
	n++; /* <- */
}

/* @left(), @right(): one thread's access each. */
template <class Left, class Right> static void both(const Left &left, const Right &right)
{
	std::thread other([&] {
		crew_pin(1);
		FOR_A_WHILE for (int i = 0; i < 1000; i++)
			right();
	});

	crew_pin(0);
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		left();
	other.join();
}

struct Seat {
	long taken = 0;
	APART long left = 0;
};

#if KIND == 1
/* Structs in a std::array on the stack of main. */
int main()
{
	alignas(LINE) std::array<Seat, 4> seats;

	both([&] { count(seats[0].taken); }, [&] { count(seats[1].taken); });
}
#elif KIND == 2
/* A std::array of std::atomic in a struct. */
struct Board {
	long id;
	std::array<std::atomic<long>, 2> posts;
	APART std::atomic<long> replies;
};
ALIGNED static Board board;

int main()
{
	both([&] { add(board.posts[0]); }, [&] { add(board.replies); });
}
#else
/* A struct that nothing but its std::make_unique tells the type of. */
struct Job {
	char state[40];
	long done;
	APART long failed;
	char apart[LINE]; /* from the state of the thread, which reads it */
};

int main()
{
	auto job = std::make_unique<Job>();

	both([&] { count(job->done); }, [&] { count(job->failed); });
}
#endif
