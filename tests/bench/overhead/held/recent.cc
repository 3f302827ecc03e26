// SPDX-License-Identifier: MIT
// recent N: a cache of the most recently used values, N look-ups.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <unordered_map>

class Recent {
	using Entry = std::pair<unsigned, std::string>;
	std::list<Entry> order_;
	std::unordered_map<unsigned, std::list<Entry>::iterator> where_;

      public:
	const std::string &get(unsigned key);
};

const std::string &Recent::get(unsigned key)
{
	auto found = where_.find(key);

	if (found != where_.end()) {
		order_.splice(order_.begin(), order_, found->second);
		return found->second->second;
	}
	if (order_.size() >= 500) {
		where_.erase(order_.back().first);
		order_.pop_back();
	}
	order_.emplace_front(key, "value of " + std::to_string(key));
	where_[key] = order_.begin();
	return order_.front().second;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? std::atol(argv[1]) : 1000000;
	std::size_t bytes = 0;
	Recent recent;
	unsigned x = 1;

	for (long i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		bytes += recent.get((x >> 16) % ((x >> 8) % 2 ? 300 : 3000)).size();
	}
	std::printf("%zu\n", bytes);
}
