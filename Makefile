# make run    builds both programs and starts them on examples
# make test   every test, with what this machine offers (PostgreSQL, Node, Chromium)
# make bench  the figures; make soak  long runs; make fuzz  a minute for each fuzz target

GO      ?= go
export CGO_ENABLED ?= 0
VERSION ?= $(shell cat VERSION)
LDFLAGS := -s -w
FUZZTIME ?= 60s

.PHONY: build run test test-go test-clients vet bench soak fuzz docs clean

build: bin/sm bin/sigit

bin/sm: FORCE
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/sm

bin/sigit: FORCE
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/sigit

FORCE:

run: build
	@examples/run

test: vet build test-go test-clients

vet:
	@test -z "$$(gofmt -l cmd internal test)" || { gofmt -l cmd internal test; echo 'run gofmt -w on these files'; exit 1; }
	$(GO) vet ./...

# The race detector needs cgo; the programs do not.
test-go:
	CGO_ENABLED=1 test/with-postgres $(GO) test -race -shuffle=on -timeout 10m ./...

test-clients: build
	test/clients/run

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...

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
