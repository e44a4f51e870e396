// Package web is the door of people: the pages of the forge.
//
// A page is a handler that reads with verbs of the forge and a template that
// shows what it got. The pages are whole without scripts: every action is a
// link or a form. htmx, when it was installed, saves loading the whole page
// for lists, menus and previews; page.js copies texts and jumps to lines.
//
// Who asks is known by a cookie that holds a session's token. A token that
// was minted for a program is no way in here, and no Authorization header is
// looked at. Requests that change something and come from another site are
// refused. No text of a stranger becomes markup but through the policy in
// markdown.go, and no file of a repository is served as something that runs.
package web
