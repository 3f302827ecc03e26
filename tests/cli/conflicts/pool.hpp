// SPDX-License-Identifier: MIT
#pragma once
namespace pool {
template <class T> struct ring {
	T head{0};
	T tail{0};
	T slots[4];
};
struct base {
	long kept = 0;
};
struct job : base {
	volatile long mine = 0;
	volatile long yours = 0;
	virtual ~job() = default;
};
}
