# The few commands a person needs; each works on a fresh Debian machine with Swift, as root or
# with sudo, and on macOS with Homebrew.

.PHONY: test check demo bench clean dependencies

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

# Benchmarks live in a package of their own, so that users never fetch what they need.
bench: dependencies
	swift run --package-path Benchmarks -c release logstore-bench

clean:
	rm -rf .build Benchmarks/.build
