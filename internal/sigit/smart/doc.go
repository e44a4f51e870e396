// Package smart serves git over HTTP: clone, fetch and push at
// /{owner}/{name}.git.
//
// A Handler asks the forge for the right first, and says nothing of a
// repository the caller may not see: somebody who is not signed in is asked
// to sign in whether it exists or not, somebody who is hears that it was not
// found. The commands of a push are read and judged before its objects, in
// this process, so that no hook script has to run; the objects then stay in
// git's quarantine until git has checked them.
//
// Requests and answers are streamed. There is no time limit on a transfer,
// only on a connection that stands still.
package smart
