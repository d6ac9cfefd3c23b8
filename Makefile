# The few commands a person needs; each works on a fresh Debian machine with Swift, as root or
# with sudo, and on macOS with Homebrew.

.PHONY: test check demo bench-program bench bench-full bench-scale bench-micro clean dependencies

dependencies:
	Scripts/install-dependencies.sh

# Every test, the style guide among them.
test: dependencies
	swift test

# What a change must pass before it is proposed.
check: dependencies
	Scripts/check.sh

# The whole story on this machine's own package catalogue.
demo: dependencies
	Scripts/demo.sh

# Benchmarks live in a package of their own, so that users never fetch what they need. What is
# installed decides what is built, so no manifest or plan of an earlier build is taken.
bench-program: dependencies
	Scripts/install-peers.sh
	rm -f Benchmarks/.build/release.yaml
	swift build --package-path Benchmarks -c release --manifest-cache none \
		--product logstore-bench

# Stores lie in the build folder: /tmp may be memory, where durable writes cost nothing. The sizes
# may be given: make bench RECORDS=20000 OBJECTS=2000 REPETITIONS=1 LIMIT=1
BENCH = Benchmarks/.build/release/logstore-bench --folder Benchmarks/.build

# Some five minutes.
bench: bench-program
	$(BENCH) --html benchmark-report.html --records $(or $(RECORDS),300000) \
		--objects $(or $(OBJECTS),100000) --repetitions $(or $(REPETITIONS),2) \
		--seconds $(or $(LIMIT),2) --phases fillsync fillsync8 fillrandom load open read mixed \
		overwrite aged latency compact compacted objects migration1

# Everything, at one size and then from ten thousand to ten million records: about an hour.
bench-full: bench-program
	$(BENCH) --html benchmark-report.html --records $(or $(RECORDS),1000000) \
		--objects $(or $(OBJECTS),1000000) --repetitions $(or $(REPETITIONS),3) \
		--seconds $(or $(LIMIT),5)
	$(MAKE) bench-scale

# What grows with the number of records and what does not, with plots; the largest of SCALES takes
# some 25 GB of disk for ten million.
bench-scale: bench-program
	$(BENCH) --html benchmark-scaling.html --output benchmark-scaling.jsonl \
		--plots benchmark-plots --records 10000 --objects 10000 \
		--scales $(or $(SCALES),100000 1000000 10000000) --repetitions $(or $(REPETITIONS),1) \
		--seconds $(or $(LIMIT),5) --phases load open read overwrite compact \
		migration1

# The parts of every operation, by processor time.
bench-micro: dependencies
	Scripts/micro-benchmarks.sh

clean:
	rm -rf .build Benchmarks/.build Benchmarks/.build-micro
