/* SPDX-License-Identifier: MIT */
/* std::atomic members of a class in a namespace. */
#include "crew.h"

#include <atomic>

namespace net
{
class Traffic
{
      public:
	NOIPA void received()
	{
		rx.fetch_add(1, std::memory_order_relaxed); /* <- */
	}
	NOIPA void sent()
	{
		tx.fetch_add(1, std::memory_order_relaxed); /* <- */
	}

      private:
	std::atomic<long> rx{0};
	APART std::atomic<long> tx{0};
};

alignas(LINE) static Traffic traffic;
} // namespace net

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 500; i++)
		if (id)
			net::traffic.sent();
		else
			net::traffic.received();
}

int main()
{
	crew(2, work);
}
