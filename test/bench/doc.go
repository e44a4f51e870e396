// Command bench measures the built programs as their users meet them: whole
// processes, real sessions over HTTP, real clones and pushes. It prints one
// table per program, with the noise of the machine: every row has the least,
// the median and the greatest of its runs and the load average beside it.
//
//	go run ./test/bench -sm bin/sm -sigit bin/sigit
//
// The trees and repositories are made here, the same bytes every time. A
// budget of time bounds the whole: rows are repeated less often, and the last
// ones left out, when a machine is slow. With -soak it runs long instead, and
// fails when memory or open files grow, when an answer is wrong, or when the
// map at the end is not the one of a fresh scan.
//
// Peak memory is what the system says of the process (ru_maxrss, VmHWM). This
// program keeps itself small, since a child starts out with its parent's
// peak; what needs much memory runs in a child of its own.
package main
