# SPDX-License-Identifier: MIT
# What a long run holds: perseusd with clients, and a recorded server, for MINUTES.
.PHONY: check-soak ## perseusd with clients and a recorded server for MINUTES: nothing grows
check-soak: all
	@O=$(abspath $(O)) PATH=$(abspath $(O))/bin:$$PATH tests/soak/soak.py $(or $(MINUTES),60)
