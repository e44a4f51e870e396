// Package web is what a browser sees of the local program: the page of the
// live map, which is in mappage.
//
// A program built without that page serves a plain status page instead, which
// says what is served and where its doors are. Both need nothing from
// elsewhere, and their policy allows nothing from elsewhere. The page reads
// the project over REST and /ws like any other client; nothing of the map
// passes through here.
package web
