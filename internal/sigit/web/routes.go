package web

import "skillforge/internal/httpd"

// route is one line of the door's table.
type route struct {
	pattern string
	scope   httpd.Scope
	page    func(*call) error
}

// routes is every page. {owner}/{name} is a repository, {at...} a ref and a
// path behind it.
func (d *web) routes() []route {
	const repo = "/{owner}/{name}"
	return []route{
		{"GET /{$}", everybody, home},
		{"GET /sign-in", everybody, signInForm},
		{"POST /sign-in", everybody, signIn},
		{"POST /sign-out", everybody, signOut},
		{"GET /sign-up", everybody, signUpForm},
		{"POST /sign-up", everybody, signUp},
		{"POST /theme", everybody, setTheme},
		{"POST /preview", people, preview},

		{"GET /settings", people, profile},
		{"POST /settings/password", people, changePassword},
		{"GET /settings/tokens", people, tokens},
		{"POST /settings/tokens", people, addToken},
		{"POST /settings/tokens/revoke", people, revokeToken},

		{"GET /admin", admins, adminHealth},
		{"GET /admin/users", admins, adminUsers},
		{"POST /admin/users", admins, changeUser},
		{"GET /admin/repositories", admins, adminRepos},

		{"GET /new", people, newRepoForm},
		{"POST /new", people, newRepo},
		{"GET /{owner}", everybody, owner},

		{"GET " + repo, everybody, repoHome},
		{"GET " + repo + "/tree/{at...}", everybody, tree},
		{"GET " + repo + "/blob/{at...}", everybody, file},
		{"GET " + repo + "/blame/{at...}", everybody, blame},
		{"GET " + repo + "/raw/{at...}", everybody, raw},
		{"GET " + repo + "/commits", everybody, commits},
		{"GET " + repo + "/commits/{at...}", everybody, commits},
		{"GET " + repo + "/commit/{id}", everybody, commit},
		{"GET " + repo + "/compare", everybody, compare},
		{"GET " + repo + "/compare/{range...}", everybody, compare},
		{"GET " + repo + "/branches", everybody, branches},
		{"GET " + repo + "/search", everybody, searchCode},
		{"GET " + repo + "/map", everybody, mapTab},
		{"GET " + repo + "/map/{at...}", everybody, mapTab},
		{"GET " + repo + "/map-view/{at...}", everybody, mapView},
		{"GET " + repo + "/map-data/{at...}", everybody, mapData},

		{"GET " + repo + "/issues", everybody, issues},
		{"GET " + repo + "/issues/new", people, newIssueForm},
		{"POST " + repo + "/issues", people, newIssue},
		{"GET " + repo + "/issues/{number}", everybody, issue},
		{"POST " + repo + "/issues/{number}", people, changeIssue},

		{"GET " + repo + "/pulls", everybody, pulls},
		{"GET " + repo + "/pulls/new", people, newPullForm},
		{"POST " + repo + "/pulls", people, newPull},
		{"GET " + repo + "/pulls/{number}", everybody, pull},
		{"GET " + repo + "/pulls/{number}/commits", everybody, pullCommits},
		{"GET " + repo + "/pulls/{number}/changes", everybody, pullChanges},
		{"GET " + repo + "/pulls/{number}/merge", people, pullMerge},
		{"POST " + repo + "/pulls/{number}", people, changePull},

		{"GET " + repo + "/settings", people, repoSettings},
		{"POST " + repo + "/settings", people, changeRepo},
		{"GET /", everybody, nothing},
	}
}
