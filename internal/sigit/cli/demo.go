package cli

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// demoFiles are what the demonstration's repository holds: the folder main
// on its default branch, and what a pull request would lay over it.
//
//go:embed all:demo
var demoFiles embed.FS

const (
	demoUser     = "demo"
	demoEmail    = "demo@example.org"
	demoPassword = "demo-password"
	demoLabel    = "demo"
)

var demoRepo = sigit.RepoName{Owner: demoUser, Name: "harness"}

// demo makes the demonstration's account and repository, once. It is refused
// where others can reach the forge, because its password is known to all.
func (c *serveCmd) demo(ctx context.Context, f *forge.Forge, l net.Listener) error {
	if !c.Demo {
		return nil
	}
	host, _, err := net.SplitHostPort(l.Addr().String())
	if err != nil || !httpd.IsLoopback(host) {
		return fault.New(fault.Invalid, "--demo makes an account whose password everybody knows, so it listens on 127.0.0.1 only")
	}
	u, err := f.UserNamed(ctx, operator, demoUser)
	if fault.Of(err) == fault.NotFound {
		u, err = f.AddUser(ctx, operator, sigit.NewUser{Name: demoUser, Email: demoEmail, Password: demoPassword, Admin: true})
	}
	if err != nil {
		return err
	}
	by := sigit.SignedIn(u)
	by.Client = "sigit serve --demo"
	if _, err := f.Repo(ctx, by, demoRepo); fault.Of(err) != fault.NotFound {
		return err
	}
	return seedDemo(ctx, f, by)
}

func seedDemo(ctx context.Context, f *forge.Forge, by sigit.Actor) error {
	repo, err := f.CreateRepo(ctx, by, sigit.NewRepo{Name: demoRepo, Description: "A small skill harness to look around in"})
	if err != nil {
		return err
	}
	_, code, err := f.Fetch(ctx, by, demoRepo)
	if err != nil {
		return err
	}
	files, err := readDemo("demo/main", nil)
	if err != nil {
		return err
	}
	first, err := demoCommit(ctx, f, by, repo, code, "main", nil, files, "Add the harness")
	if err != nil {
		return err
	}
	if files, err = readDemo("demo/change", files); err != nil {
		return err
	}
	delete(files, "docs/style.md") // what the pull request breaks
	if _, err := demoCommit(ctx, f, by, repo, code, "release-notes", []string{first}, files, "Write release notes with a skill of their own"); err != nil {
		return err
	}
	for _, i := range []sigit.NewIssue{
		{Title: "The reviewer does not say which file it means", Body: "Findings should start with `path:line`. See `.claude/agents/reviewer.md`."},
		{Title: "Deploy asks for a ticket that nobody has", Body: "The command `/deploy` wants a ticket number; small fixes have none."},
	} {
		i.Repo = demoRepo
		if _, err := f.OpenIssue(ctx, by, i); err != nil {
			return err
		}
	}
	pull, err := f.OpenPull(ctx, by, sigit.NewPull{
		Repo: demoRepo, Head: "release-notes", Base: "main", Title: "Write release notes with a skill of their own",
		Body: "Moves the style rules into the skill. Nothing else should need `docs/style.md` any more.",
	})
	if err != nil {
		return err
	}
	_, err = f.AddComment(ctx, by, sigit.NewComment{Repo: demoRepo, Number: pull.Number, Body: "Does anything still point at the old style page?"})
	return err
}

// readDemo reads a folder of demoFiles over what is there.
func readDemo(root string, over map[string]string) (map[string]string, error) {
	files := map[string]string{}
	for path, text := range over {
		files[path] = text
	}
	err := fs.WalkDir(demoFiles, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := demoFiles.ReadFile(p)
		files[strings.TrimPrefix(p, root+"/")] = string(text)
		return err
	})
	return files, err
}

func demoCommit(ctx context.Context, f *forge.Forge, by sigit.Actor, repo sigit.Repo, code *git.Repo, branch string, parents []string, files map[string]string, message string) (string, error) {
	var list []git.TreeFile
	for p, text := range files {
		list = append(list, git.TreeFile{Path: path.Clean(p), Mode: git.ModeFile, Data: []byte(text)})
	}
	tree, err := code.WriteTree(ctx, list)
	if err != nil {
		return "", err
	}
	who := git.Signature{Name: by.User.Name, Email: by.User.Email, When: repo.CreatedAt}
	id, err := code.Commit(ctx, tree, parents, who, who, message)
	if err != nil {
		return "", err
	}
	ref := "refs/heads/" + branch
	if err := code.UpdateRefs(ctx, git.Update{Ref: ref, New: id}); err != nil {
		return "", err
	}
	return id, f.Pushed(ctx, by, repo, []sigit.RefUpdate{{Ref: ref, Old: git.Zero, New: id}})
}

// printDemo prints a fresh token and how to use it. Tokens of earlier runs end.
func (c *serveCmd) printDemo(ctx context.Context, w World, f *forge.Forge) error {
	old, err := f.TokensOf(ctx, operator, demoUser)
	if err != nil {
		return err
	}
	for _, t := range old {
		if t.Label != demoLabel {
			continue
		}
		if err := f.RevokeTokenOf(ctx, operator, demoUser, t.ID); err != nil {
			return err
		}
	}
	_, secret, err := f.MintTokenFor(ctx, operator, demoUser, sigit.NewToken{Label: demoLabel})
	if err != nil {
		return err
	}
	site := f.Site()
	fmt.Fprintf(w.Out, "page       %s\n", site.Repo(demoRepo))
	fmt.Fprintf(w.Out, "sign in    %s %s\n", demoEmail, demoPassword)
	fmt.Fprintf(w.Out, "token      %s\n", secret.Reveal())
	fmt.Fprintf(w.Out, "clone      git clone %s\n", site.Clone(demoRepo))
	fmt.Fprintf(w.Out, "agent      claude mcp add --transport http sigit %s/api/v1/mcp --header \"Authorization: Bearer %s\"\n", site, secret.Reveal())
	return nil
}
