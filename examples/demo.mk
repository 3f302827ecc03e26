# SPDX-License-Identifier: MIT
# make demo: set up, build, and walk the whole way on the examples.  Every step
# has to succeed.  What is measured on the way is a result and not a failure of
# the build: on a machine that is not quiet or not even the demo says so, and
# where a plan does not pay it says that.  make bench-demo wants the figures.
.PHONY: demo ## the whole way on a real program: about three minutes
.PHONY: bench-demo ## the same, and fail if no gain is shown
demo: setup-build
	@$(MAKE) --no-print-directory $(cores) all
	@O=$(abspath $(O)) scripts/demo.sh $(DEMO) || [ $$? = 5 ]

bench-demo: setup-build
	@$(MAKE) --no-print-directory $(cores) all
	@O=$(abspath $(O)) scripts/demo.sh $(DEMO)
