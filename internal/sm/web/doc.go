// Package web is what a browser sees of the local program.
//
// For now that is one page that says what the server serves and where its
// doors are. It needs no script, and its policy allows none from elsewhere.
package web
