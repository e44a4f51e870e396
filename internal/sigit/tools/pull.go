package tools

import (
	"context"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
)

type pullRowOut struct {
	Number int         `json:"number"`
	Title  string      `json:"title"`
	State  sigit.State `json:"state"`
	Head   string      `json:"head"`
	Base   string      `json:"base"`
	URL    string      `json:"url"`
}

var listPullRequests = tool{
	name: "list_pull_requests", title: "List pull requests",
	about: "List pull requests of a repository, the highest number first, 50 at a time.",
	takes: []arg{
		repoArg,
		{name: "state", oneOf: []string{"open", "closed", "merged", "all"}, about: "Which pull requests; open when left out."},
		cursorArg,
	},
	gives: aList(anObject(member{"number", isNumber}, member{"title", isText}, member{"state", isText}, member{"head", isText}, member{"base", isText}, member{"url", isText})),
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		list, err := d.forge.Pulls(ctx, by, repo, sigit.Filter{State: sigit.State(in.text("state"))}, sigit.Page{Limit: 50, Cursor: in.text("cursor")})
		if err != nil {
			return mcp.Result{}, err
		}
		return pageOf("list_pull_requests", list, func(p sigit.Pull) pullRowOut {
			return pullRowOut{p.Number, sigit.Clean(p.Title), p.State, p.Head, p.Base, d.forge.Site().Pull(p.Repo, p.Number)}
		})
	},
}

type pullOut struct {
	Number int         `json:"number"`
	Title  string      `json:"title"`
	State  sigit.State `json:"state"`
	Author string      `json:"author"`
	Head   string      `json:"head"`
	Base   string      `json:"base"`
	Body   string      `json:"body"`
	URL    string      `json:"url"`
	talk
	diffOut
}

// diffOut is what is shown of a difference; nil with a note when none can be.
type diffOut struct {
	Diff      *string    `json:"diff"`
	Truncated bool       `json:"diff_truncated,omitempty"`
	Note      string     `json:"diff_note,omitempty"`
	Files     []fileStat `json:"diff_files,omitempty"` // of a difference that was cut
}

// fileStat says how much of a file changed; lines of a binary file are -1.
type fileStat struct {
	Path    string `json:"path"`
	Status  string `json:"status"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

// maxFiles is how many changed files are listed beside a diff that was cut.
const maxFiles = 300

var getPullRequest = tool{
	name: "get_pull_request", title: "Read a pull request", large: true,
	about: "Read one pull request with its comments and its diff (what head adds since it left base; null with diff_note when there is none to show). " +
		"A diff over 100 kB is cut and the changed files are listed; give path to see the diff of one file.",
	takes: []arg{
		repoArg, numberArg("pull request"),
		{name: "path", about: "Show the diff of this file or directory only."},
		cursorArg,
	},
	// diff is text or null, which one type cannot say, so it is not declared.
	gives: with(anObject(member{"number", isNumber}, member{"title", isText}, member{"state", isText}, member{"author", isText},
		member{"head", isText}, member{"base", isText}, member{"body", isText}, member{"url", isText}, member{"comments", arrayOf(aComment)}),
		member{"comments_truncated", isBoolean}, member{"comments_note", isText}, member{"next_cursor", isText},
		member{"diff_truncated", isBoolean}, member{"diff_note", isText},
		member{"diff_files", arrayOf(anObject(member{"path", isText}, member{"status", isText}, member{"added", isNumber}, member{"deleted", isNumber}))}),
	hints: map[string]string{"not_found": "It may be an issue: they share numbers with pull requests, and get_issue reads them. list_pull_requests with state all shows the pull requests."},
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		p, err := d.forge.Pull(ctx, by, repo, in.number("number"))
		if err != nil {
			return mcp.Result{}, err
		}
		said, err := d.talkOf(ctx, by, "get_pull_request", repo, p.Number, in.text("cursor"))
		if err != nil {
			return mcp.Result{}, err
		}
		diff := diffOut{Note: "The diff is not repeated with further comments; ask without cursor to see it."}
		if in.text("cursor") == "" {
			if diff, err = d.diffOf(ctx, by, p, in.text("path")); err != nil {
				return mcp.Result{}, err
			}
		}
		return mcp.Answer(pullOut{p.Number, sigit.Clean(p.Title), p.State, p.Author, p.Head, p.Base, sigit.Clean(p.Body), d.forge.Site().Pull(p.Repo, p.Number), said, diff})
	},
}

func (d door) diffOf(ctx context.Context, by sigit.Actor, p sigit.Pull, path string) (diffOut, error) {
	var paths []string
	if path != "" {
		paths = []string{path}
	}
	diff, err := d.forge.Diff(ctx, by, p.Repo, p.Number, paths...)
	if fault.Of(err) == fault.Denied {
		// A token that may read pull requests but no code.
		return diffOut{Note: fault.Text(err)}, nil
	}
	if err != nil {
		return diffOut{}, err
	}
	out := diffOut{Diff: diff.Patch, Truncated: diff.Truncated, Note: diff.Note}
	if path != "" && diff.Patch != nil && *diff.Patch == "" {
		out.Note = "Nothing changes at this path."
	}
	if !diff.Truncated {
		return out, nil
	}
	changes, more, err := d.forge.Changes(ctx, by, p.Repo, p.Number, maxFiles)
	if err != nil {
		return diffOut{}, err
	}
	for _, c := range changes {
		out.Files = append(out.Files, fileStat{c.Path, statusOf[c.Status], c.Added, c.Deleted})
	}
	if path == "" {
		out.Note += " To see one file of diff_files, call get_pull_request again with path."
	}
	if more {
		out.Note += " Not all changed files are listed."
	}
	return out, nil
}

var statusOf = map[byte]string{'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "type changed"}

var createPullRequest = tool{
	name: "create_pull_request", title: "Open a pull request", writes: true,
	about: "Open a pull request from one branch of a repository into another. Both must exist, and you must be able to write to the repository.",
	takes: []arg{
		repoArg,
		{name: "title", must: true, about: "One line: what changes."},
		{name: "head", must: true, about: "Branch with the changes."},
		{name: "base", must: true, about: "Branch to merge into."},
		{name: "body", about: "Why and how, in Markdown."},
	},
	gives: isMade,
	hints: map[string]string{"no-branch": "Push the branch first. list_repositories names the default branch."},
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		p, err := d.forge.OpenPull(ctx, by, sigit.NewPull{
			Repo: repo, Title: in.text("title"), Body: in.text("body"),
			Head: branchOf(in.text("head")), Base: branchOf(in.text("base")),
		})
		if err != nil {
			return mcp.Result{}, err
		}
		made, err := mcp.Answer(madeOut{p.Number, p.State, d.forge.Site().Pull(p.Repo, p.Number)})
		if err != nil {
			return made, err
		}
		// It is made; that it brings nothing is worth a word and no refusal.
		if brings, err := d.forge.Brings(ctx, p); err == nil && !brings {
			made.Content, err = textBlocks(string(made.JSON), sigit.NothingToMerge(p)+" Push commits to the head branch, or look whether head and base are the right way round.")
			return made, err
		}
		return made, nil
	},
}

// branchOf takes the full name of a branch too.
func branchOf(name string) string { return strings.TrimPrefix(name, "refs/heads/") }
