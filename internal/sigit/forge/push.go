package forge

import (
	"context"
	"errors"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// Fetch gives the code of a repository to who may read it.
func (f *Forge) Fetch(ctx context.Context, by sigit.Actor, name sigit.RepoName) (sigit.Repo, *git.Repo, error) {
	repo, err := f.allowed(ctx, by, sigit.ReadCode, name)
	if err != nil {
		return sigit.Repo{}, nil, err
	}
	return repo, f.code(repo), nil
}

// Push gives the code of a repository to who may push. A repository of the
// caller's that does not exist is made, private and empty.
//
// The door asks CheckPush before it lets objects in, and calls Pushed after.
func (f *Forge) Push(ctx context.Context, by sigit.Actor, name sigit.RepoName) (sigit.Repo, *git.Repo, error) {
	repo, err := f.allowed(ctx, by, sigit.PushCode, name)
	own := by.Known() && strings.EqualFold(by.User.Name, name.Owner)
	if fault.Of(err) == fault.NotFound && own && by.MayAlone(sigit.CreateRepo) == nil {
		repo, err = f.CreateRepo(ctx, by, sigit.NewRepo{Name: name, Private: true})
		if fault.Of(err) == fault.Conflict { // made by another push meanwhile
			repo, err = f.allowed(ctx, by, sigit.PushCode, name)
		}
	}
	if err != nil {
		return sigit.Repo{}, nil, err
	}
	return repo, f.code(repo), nil
}

// CheckPush says for each update why it is refused, by its ref. It is empty
// when the push may go on. Forced updates are known only to git: the door
// passes by.Grant.NoForce to it.
func (f *Forge) CheckPush(by sigit.Actor, updates []sigit.RefUpdate) map[string]error {
	refused := map[string]error{}
	for _, u := range updates {
		err := by.MayMove(u)
		if branch := u.Branch(); err == nil && branch != "" {
			err = sigit.CheckBranch(branch)
		}
		if err == nil && !u.Deletes() { // an import may have brought one, which can go
			err = sigit.CheckNewRef(u.Ref)
		}
		if err != nil {
			refused[u.Ref] = err
		}
	}
	return refused
}

// Pushed tells the forge that refs moved: it notes the change, settles the
// default branch of a repository that had none, and brings the pull requests
// on the branches up to them. It goes on when the caller has left.
func (f *Forge) Pushed(ctx context.Context, by sigit.Actor, repo sigit.Repo, updates []sigit.RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var refs []string
	for _, u := range updates {
		refs = append(refs, u.Ref)
	}
	err := f.db.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.TouchRepo(ctx, repo.ID); err != nil {
			return err
		}
		// As it is now: it may have changed while the objects came in.
		if repo, err = tx.RepoByID(ctx, sigit.Operator(sigit.User{}), repo.ID); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.Pushed, repo, 0, sigit.Short(strings.ToValidUTF8(strings.Join(refs, " "), "\uFFFD"), 1000))
	})
	if err != nil {
		return err
	}
	if err := f.settleDefault(ctx, repo, updates); err != nil {
		return err
	}
	f.events.Publish(sigit.Event{At: repo.UpdatedAt, RepoID: repo.ID, Repo: repo.Name, Kind: sigit.Pushed, Actor: by.User.Name, Via: by.Via(), Refs: updates})
	for _, u := range updates {
		if branch := u.Branch(); branch != "" {
			f.followAll(ctx, repo, branch, &by)
		}
	}
	return nil
}

// settleDefault makes a pushed branch the default when the default has no
// commits: the first push decides what the repository is about.
func (f *Forge) settleDefault(ctx context.Context, repo sigit.Repo, updates []sigit.RefUpdate) error {
	code := f.code(repo)
	if _, err := code.Resolve(ctx, "refs/heads/"+repo.DefaultBranch); !errors.Is(err, git.ErrNoRef) && !errors.Is(err, git.ErrEmpty) {
		return err
	}
	first := ""
	for _, u := range updates {
		branch := u.Branch()
		if branch == "" || u.Deletes() || sigit.CheckBranch(branch) != nil {
			continue
		}
		if first == "" || branch == "main" || branch == "master" && first != "main" {
			first = branch
		}
	}
	if first == "" {
		return nil
	}
	return f.db.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.RepoByID(ctx, sigit.Operator(sigit.User{}), repo.ID)
		if err != nil {
			return err
		}
		now.DefaultBranch = first
		if now, err = tx.SetRepo(ctx, now, now.Name.Name); err != nil {
			return err
		}
		return code.SetHead(ctx, now.DefaultBranch)
	})
}

// followAll brings the open pull requests on a branch up to it. What fails is
// made good by the next look at the pull request.
func (f *Forge) followAll(ctx context.Context, repo sigit.Repo, branch string, by *sigit.Actor) {
	var pulls []sigit.Pull
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		pulls, err = tx.OpenPullsOn(ctx, repo, branch)
		return err
	})
	for _, p := range pulls {
		if _, e := f.follow(ctx, repo, p, by); e != nil {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		f.log.WarnContext(ctx, "pull requests do not follow their branches", "repo", repo.Name.String(), "branch", branch, "err", err)
	}
}
