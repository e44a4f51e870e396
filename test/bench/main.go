package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run: what to measure, with what, and until when.
type bench struct {
	context.Context
	sm, sigit string
	sizes     []int // nodes of the trees
	large     int   // nodes of the last one, which takes what time is left
	repos     []int // megabytes of the repositories
	issues    int
	runs      int
	dir       string
	end       time.Time
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) > 0 && args[0] == childMark {
		return child(ctx, args[1:])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	b := &bench{Context: ctx}
	flags.StringVar(&b.sm, "sm", "bin/sm", "the sm program")
	flags.StringVar(&b.sigit, "sigit", "bin/sigit", "the sigit program")
	flags.IntVar(&b.runs, "runs", 5, "runs of one row, as far as the budget lasts")
	flags.IntVar(&b.issues, "issues", 100_000, "issues of the large tracker")
	sizes := flags.String("sizes", "1000,10000", "nodes of the trees")
	flags.IntVar(&b.large, "large", 100_000, "nodes of the large tree")
	repos := flags.String("repos", "20", "megabytes of the repositories")
	only := flags.String("only", "sm,queue,sigit,large", "which tables")
	budget := flags.Duration("budget", 6*time.Minute, "time for all")
	soak := flags.Duration("soak", 0, "run long for this time instead")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, err := range []error{numbers(*sizes, &b.sizes), numbers(*repos, &b.repos), whole(&b.sm), whole(&b.sigit)} {
		if err != nil {
			return err
		}
	}
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.end = time.Now().Add(*budget)
	fmt.Printf("%s/%s, %d cores, load %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	if *soak > 0 {
		return b.soak(*only, *soak)
	}
	return b.tables(strings.Split(*only, ","))
}

// tables shares the time that is left among the tables that are left.
func (b *bench) tables(only []string) error {
	parts := map[string]func(*table) error{"sm": b.maps, "queue": b.queue, "sigit": b.forge, "large": b.largeMap}
	weight := map[string]int{"sm": 6, "queue": 1, "sigit": 6, "large": 5}
	left := 0
	for _, name := range only {
		if parts[name] == nil {
			return fmt.Errorf("no table %q; there are sm, queue, sigit and large", name)
		}
		left += weight[name]
	}
	end := b.end
	for _, name := range only {
		b.end = time.Now().Add(time.Until(end) * time.Duration(weight[name]) / time.Duration(left))
		left -= weight[name]
		t := newTable(name)
		err := parts[name](t)
		t.close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// late reports that the time for this table is over.
func (b *bench) late() bool { return time.Now().After(b.end) || b.Err() != nil }

// repeat runs once up to n times, at least one time, and stops when the budget
// does.
func (b *bench) repeat(n int, once func(i int) error) error {
	for i := range n {
		if i > 0 && b.late() {
			break
		}
		if err := once(i); err != nil {
			return err
		}
	}
	return b.Err()
}

func numbers(list string, to *[]int) error {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no list of numbers", list)
		}
		*to = append(*to, n)
	}
	return nil
}

func whole(path *string) (err error) {
	*path, err = filepath.Abs(*path)
	return err
}

func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
