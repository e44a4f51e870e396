// Package config answers what one project has settled: its settings in their
// layers, the grants of this copy, the lens, the ignore rules, and the files
// under .skill-map/ that hold them.
//
// A Project is a folder. Load merges the layers into Settings: defaults, then
// .skill-map/settings.json (committed), then .skill-map/settings.local.json
// (this machine's), then the overrides of the running command. There is no
// layer outside the project. Some keys are local only: a committed file cannot
// set them, and the local file only with a grant that binds key, value and
// this very folder, so that a cloned repository brings no rights along.
//
// Loading never fails: what is wrong in a file is left out and said in
// Settings.Warnings. Writing is atomic (a temporary file, then a rename), keeps
// the order of what was there, and refuses a file that it cannot read. The
// package knows no database and no flags.
package config
