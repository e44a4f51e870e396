// Package web is what a browser sees of the local program: the page of the
// live map, built from web/ in the root of the repository and embedded.
//
// A program built without the bundle serves a plain status page instead, which
// says what is served and where its doors are. Both need nothing from
// elsewhere, and their policy allows nothing from elsewhere. The page reads
// the project over REST and /ws like any other client; nothing of the map
// passes through here.
package web
