/* SPDX-License-Identifier: MIT */
/*
 * A virtual function is called all the time through an object whose last member
 * another thread counts in: the pointer to the table of functions shares its line.
 */
#include "crew.h"

#include <atomic>
#include <memory>

struct Shape {
	virtual ~Shape() = default;
	virtual long area() const = 0;
};

struct alignas(LINE) Square : Shape {
	long side = 3;
	APART long drawn = 0;

	NOIPA long area() const override
	{
		return side * side; /* <- */
	}
};

static std::unique_ptr<Square> square;

NOIPA static long measure(const Shape &s)
{
	return s.area(); /* <- */
}

NOIPA static void draw(Square &s)
{
	s.drawn++; /* <- */
}

static void work(int id)
{
	long sum = 0;
	Square &s = *square;

	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			draw(s);
		else
			sum += measure(s);
	if (sum == 1)
		abort();
}

int main()
{
	square = std::make_unique<Square>();
	crew(2, work);
	return square->drawn == 0;
}
