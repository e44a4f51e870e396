package tools

// registry is every tool, in the order in which clients see them.
var registry = []tool{
	listRepositories,
	getFileContents,
	searchCode,
	listIssues,
	getIssue,
	createIssue,
	listPullRequests,
	getPullRequest,
	createPullRequest,
	addIssueComment,
	webSearch,
}
