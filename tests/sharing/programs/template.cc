/* SPDX-License-Identifier: MIT */
/* A static member of a class template: one object for each instance. */
#include "crew.h"

template <typename T> struct Pool {
	struct Use {
		long taken;
		APART long given;
	};
	alignas(LINE) static Use use;

	NOIPA static void take()
	{
		use.taken++; /* <- */
	}
	NOIPA static void give()
	{
		use.given++; /* <- */
	}
};

template <typename T> typename Pool<T>::Use Pool<T>::use;

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			Pool<int>::give();
		else
			Pool<int>::take();
}

int main()
{
	crew(2, work);
	return Pool<int>::use.taken == 0;
}
