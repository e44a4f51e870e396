// Command sm maps the skills, agents and commands of a project; `sm help`
// says how. All it does is in internal/sm/cli.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"skillforge/internal/sm/cli"
)

func main() { os.Exit(run()) }

func run() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "sm: the working directory is gone: %v\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // whoever interrupts twice does not want to wait
	return cli.Main(ctx, os.Args[1:], cli.World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Dir: dir, Now: time.Now})
}
