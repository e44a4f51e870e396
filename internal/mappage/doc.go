// Package mappage is the page that draws a map, built from web/ in the root of
// the repository by `make web` and embedded. sm serves it for the project it
// runs in, sigit for a commit of a repository; they do not know each other, so
// the page they share lives below both.
//
// It gives out files and policies. Who may see a map, and where its data comes
// from, is the business of who serves it: the page is told in its metas.
package mappage
