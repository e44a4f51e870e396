# make run    builds both programs and starts them on examples
# make test   every test, with what this machine offers (PostgreSQL, Node, Chromium)
# make bench  the figures; make soak  long runs; make fuzz  a minute for each fuzz target

GO      ?= go
export CGO_ENABLED ?= 0
LDFLAGS := -s -w
FUZZTIME ?= 60s

.PHONY: build run test test-go test-clients test-pages vet web bench soak fuzz docs clean

build: web bin/sm bin/sigit

bin/sm: FORCE
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/sm

bin/sigit: FORCE
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/sigit

FORCE:

# The map page. Without npm the programs build all the same, and sm serves a
# plain page in its place.
WEB    := internal/mappage/bundle/app/index.html
WEBSRC := $(shell find web/src web/index.html web/vite.config.ts web/package-lock.json internal/look/tokens.css -type f)

# What the forge's pages take from the registry. They work without.
HTMX   := internal/sigit/web/bundle/htmx.js

web: $(WEB) $(HTMX)

$(WEB): $(WEBSRC)
	@if command -v npm >/dev/null; then \
		cd web && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error; } && \
		npx --no-install vite build --logLevel warn && touch ../$(WEB); \
	else \
		echo 'web: npm is not here, so the map page is left out (apt install nodejs npm)'; \
	fi

$(HTMX): web/package-lock.json | $(WEB)
	@if command -v npm >/dev/null; then \
		cd web && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error; } && \
		cp node_modules/htmx.org/dist/htmx.min.js ../$(HTMX); \
	else \
		echo 'web: npm is not here, so htmx is left out'; \
	fi

run: build
	@examples/run

test: vet build test-go test-clients test-pages

vet:
	@test -z "$$(gofmt -l cmd internal test)" || { gofmt -l cmd internal test; echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet ./...

# The race detector needs cgo; the programs do not.
test-go:
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 test/with-postgres $(GO) test -race -shuffle=on -timeout 20m ./...

test-clients: build
	test/clients/run

test-pages: build
	test/pages/run

# BENCH takes flags of test/bench, such as '-sizes 1000 -repos 20 -only sm'.
# BENCH_BIG=1 adds a repository of 500 MB. Packages have benchmarks of their own: go test -bench .
BENCH ?= $(if $(BENCH_BIG),-repos 20,500 -budget 20m)
SOAK  ?= 10m

bench: build
	$(GO) run ./test/bench -sm bin/sm -sigit bin/sigit $(BENCH)
	@if [ -d test/pages/node_modules ]; then node test/pages/bench.mjs; else echo "bench: run 'npm ci' in test/pages for the figures of the map page"; fi

soak: build
	$(GO) run ./test/bench -sm bin/sm -sigit bin/sigit -soak $(SOAK) $(BENCH)

fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg 2>/dev/null | grep '^Fuzz'); do \
			echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

docs:
	$(GO) generate ./...

clean:
	rm -rf bin
