/* SPDX-License-Identifier: MIT */
#ifndef X_BASE_H
#define X_BASE_H

namespace app
{
template <class T> class counted
{
protected:
	int id = 0;
	volatile T seen = 0;

public:
	T *place() { return const_cast<T *>(&seen); }
};

class sensor : public counted<long>
{
public:
	virtual ~sensor() {}
	virtual void poll() = 0;
	void sample() { seen = seen + 1; }
};
}

#endif
