package api

// routes is the table of the door. {owner}/{name} is a repository, {number}
// an issue or a pull request.
func (a *API) routes() []route {
	const (
		repoPath  = "/repositories/{owner}/{name}"
		issuePath = repoPath + "/issues/{number}"
		pullPath  = repoPath + "/pulls/{number}"
	)
	return []route{
		signInRoute,
		write("DELETE", "/auth/session", signedIn, "signOut", "End the token that is shown.", signOut),

		read("/users/me", "user:read", "me", "The caller's own account.", me),
		write("PUT", "/users/me/password", "user:write", "changePassword", "Change the caller's password. Other sessions end.", changePassword),
		read("/users", "admin:read", "listUsers", "All accounts, for administrators.", listUsers).paged(),
		write("POST", "/users", "admin:write", "addUser", "Make an account.", addUser),
		write("PATCH", "/users/{user}", "admin:write", "changeUser", "Make an account an administrator's or not, disable or enable it.", changeUser),

		read("/tokens", "user:write", "listTokens", "The caller's API tokens, newest first.", listTokens),
		write("POST", "/tokens", "user:write", "addToken", "Mint a token that reaches no further than the one that asks.", addToken),
		write("DELETE", "/tokens/{id}", "user:write", "revokeToken", "Revoke a token and all that were minted with it.", revokeToken),

		read("/repositories", "repo:read", "listRepositories", "The repositories that the caller sees, latest change first.", listRepos).
			with(param{"query", "substring of owner/name"}, param{"owner", "user name"}).paged(),
		write("POST", "/repositories", "repo:write", "addRepository", "Make a repository, empty or with what another holds.", addRepo),
		read(repoPath, "repo:read", "getRepository", "One repository. A former name leads to it.", getRepo),
		write("PATCH", repoPath, "repo:write", "changeRepository", "Change name, description, visibility or default branch.", changeRepo),
		write("DELETE", repoPath, "repo:write", "deleteRepository", "Delete a repository and everything in it.", deleteRepo),
		read(repoPath+"/acts", "repo:write", "listActs", "What was done, by whom and through what, latest first.", listActs).
			with(param{"limit", "how many at most, 1 to 100"}),

		read(repoPath+"/collaborators", "repo:read", "listCollaborators", "Who else has a role.", listCollaborators),
		write("PUT", repoPath+"/collaborators/{user}", "repo:write", "setCollaborator", "Give a user a role.", setCollaborator),
		write("DELETE", repoPath+"/collaborators/{user}", "repo:write", "dropCollaborator", "Take a user's role.", dropCollaborator),

		read(repoPath+"/branches", "repo:read", "listBranches", "Branches by name.", listBranches).
			with(param{"limit", "how many at most, 1 to 100"}, param{"after", "name of the branch before"}),
		read(repoPath+"/contents", "repo:read", "getFile", "A file at a ref.", getFile).
			with(param{"path", "path of the file"}, param{"ref", "branch, tag or commit; the default branch when absent"}),
		read(repoPath+"/search", "repo:read", "searchCode", "Lines of text files that hold a text.", searchCode).
			with(param{"query", "fixed text, whatever the case"}, param{"ref", "branch, tag or commit; the default branch when absent"}, param{"limit", "how many at most, 1 to 100"}),

		read(repoPath+"/issues", "issue:read", "listIssues", "Issues, highest number first.", listIssues).
			with(param{"state", "open (default), closed or all"}, param{"query", "substring of the title or body"}).paged(),
		write("POST", repoPath+"/issues", "issue:write", "openIssue", "Open an issue.", openIssue),
		read(issuePath, "issue:read", "getIssue", "One issue.", getIssue),
		write("PATCH", issuePath, "issue:write", "changeIssue", "Change the title or body of an issue.", changeIssue),
		write("POST", issuePath+"/close", "issue:write", "closeIssue", "Close an issue.", closeIssue),
		write("POST", issuePath+"/reopen", "issue:write", "reopenIssue", "Open a closed issue again.", reopenIssue),
		read(issuePath+"/comments", "issue:read", "listComments", "Comments on an issue or a pull request, oldest first.", listComments).paged(),
		write("POST", issuePath+"/comments", "issue:write", "addComment", "Comment on an issue or a pull request.", addComment),

		read(repoPath+"/pulls", "issue:read", "listPulls", "Pull requests, highest number first.", listPulls).
			with(param{"state", "open (default), closed, merged or all"}, param{"query", "substring of the title or body"}).paged(),
		write("POST", repoPath+"/pulls", "issue:write", "openPull", "Open a pull request of one branch into another.", openPull),
		read(pullPath, "issue:read", "getPull", "One pull request.", getPull),
		read(pullPath+"/diff", "repo:read", "getDiff", "What a pull request changes.", getDiff),
		write("PATCH", pullPath, "issue:write", "changePull", "Change the title or body of a pull request.", changePull),
		write("POST", pullPath+"/close", "issue:write", "closePull", "Close a pull request without merging it.", closePull),
		write("POST", pullPath+"/reopen", "issue:write", "reopenPull", "Open a closed pull request again.", reopenPull),
		write("POST", pullPath+"/merge", "repo:write", "mergePull", "Merge a pull request.", mergePull),
	}
}
