# The few commands a person needs; each works on a fresh Debian machine with Swift, as root or
# with sudo, and on macOS with Homebrew.

.PHONY: test check demo bench bench-full bench-micro clean dependencies

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
BENCH_BUILD = rm -f Benchmarks/.build/release.yaml && \
	swift build --package-path Benchmarks -c release --manifest-cache none \
	--product logstore-bench
BENCH = Benchmarks/.build/release/logstore-bench --html benchmark-report.html

# About five minutes.
bench: dependencies
	Scripts/install-peers.sh
	$(BENCH_BUILD)
	$(BENCH) --repetitions 2 --seconds 2 --objects 100000 --phases fillsync fillsync8 fillrandom \
		load open read mixed overwrite aged latency compact compacted objects migration1

# Everything, at sizes from ten thousand to ten million records: hours.
bench-full: dependencies
	Scripts/install-peers.sh
	$(BENCH_BUILD)
	$(BENCH) --repetitions 5 --seconds 30 --objects 1000000 --scales 10000 100000 10000000

# The parts of every operation, by processor time.
bench-micro: dependencies
	Scripts/micro-benchmarks.sh

clean:
	rm -rf .build Benchmarks/.build Benchmarks/.build-micro
