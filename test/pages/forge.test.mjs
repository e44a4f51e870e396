// The forge's pages as people use them, in a real Chromium.

import assert from "node:assert/strict";
import test, { after } from "node:test";
import { accessible, close, looks, open, shoot, soon } from "./browser.mjs";
import { evil, signIn, world } from "./forge.mjs";

after(close);

// What a hostile readme asks for and is not there, and pages that shall not be
// found: Chromium writes both to the console.
const absent = [/\/raw\/main\/x$/, /status of 40\d/, /ERR_CONNECTION_REFUSED/];

test("sign up, make a repository, push, see it", async (t) => {
  const w = await world(t, { flags: ["--sign-up"] });
  const page = await open(t, w.url + "/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await page.getByLabel("User name").fill("dora");
  await page.getByLabel("E-mail address").fill("dora@example.org");
  await page.getByLabel("Password").fill("a long password");
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.waitForURL(w.url + "/");

  await page.locator("main").getByRole("link", { name: "New repository" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("boat");
  await page.getByLabel("Description").fill("A small boat");
  await page.getByRole("button", { name: "Make the repository" }).click();
  await page.waitForURL("**/dora/boat");
  await page.getByText("no commits yet").waitFor();
  await accessible(page, "an empty repository");
  await shoot(page, "forge-empty-1440-light");

  await page.goto(w.url + "/settings/tokens");
  await page.getByLabel("Label").fill("for git");
  await page.getByRole("button", { name: "Make the token" }).click();
  const token = await page.locator(".fresh code").first().textContent();
  assert.match(token, /^sgt_/);
  await accessible(page, "a new token");
  await page.getByRole("button", { name: "Copy: the new token" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
  await shoot(page, "forge-token-1440-light");

  const work = w.work("dora/boat");
  work.write("README.md", "# Boat\n\nIt floats.\n");
  work.commit("Float");
  work.git("remote", "set-url", "origin", `${w.url.replace("://", `://dora:${token}@`)}/dora/boat.git`);
  work.push("main");
  await page.goto(w.url + "/dora/boat");
  await page.getByRole("heading", { name: "Boat", exact: true }).waitFor();
  await page.getByText("Use it").click();
  await page.getByText("claude mcp add --transport http").waitFor();
  await accessible(page, "the clone box");

  await page.getByLabel("Account menu").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  assert.equal((await page.request.get(w.url + "/dora/boat")).status(), 404);
});

test("look around in the code", async (t) => {
  const w = await world(t);
  // Opened by itself, the picture's scripts are stopped by its sandbox.
  const page = await open(t, w.url + "/", { allow: [...absent, /^Blocked script execution/] });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "find");

  // The list narrows while somebody types.
  await page.getByLabel("Search by name").fill("nowhere");
  await page.getByText("No repository has that").waitFor();
  await page.getByLabel("Search by name").fill("harb");
  await page.getByRole("link", { name: "alice/harbour" }).click();

  await page.getByRole("heading", { name: "Harbour", exact: true }).waitFor();
  await soon("the pictures of the readme are there", () => page.evaluate(() => [...document.querySelectorAll(".md img")].filter((i) => i.naturalWidth > 0).length >= 2));
  await page.locator(".md").getByRole("link", { name: "the style" }).click();
  await page.waitForURL("**/blob/main/docs/style.md");

  // A branch with a slash, chosen in the menu.
  await page.getByLabel("Branch or tag: main").click();
  await page.getByRole("link", { name: "agent/42" }).click();
  await page.waitForURL("**/tree/agent/42");
  await page.getByRole("link", { name: "keel", exact: true }).click();
  await page.getByRole("link", { name: "keel.go" }).click();
  await page.locator(".code .k").first().waitFor();

  // A line, and a range of lines.
  await page.locator("#L12 > a").click();
  await page.locator("#L15 > a").click({ modifiers: ["Shift"] });
  assert.ok(page.url().endsWith("#L12-L15"));
  assert.equal(await page.locator(".l.on").count(), 4);
  await page.getByRole("link", { name: "Blame" }).click();
  await page.locator(".by a").first().waitFor();
  await page.locator(".by a").first().click();
  await page.waitForURL("**/commit/*");
  await page.locator("table.lines").first().waitFor();

  await page.goto(w.url + "/alice/harbour/search?q=needle");
  assert.equal(await page.locator(".found").count(), 2);
  await page.locator(".found .l > a").last().click();
  await page.waitForURL("**/blob/main/*");
  await page.locator(".l.on").waitFor();

  // Raw files run nothing.
  for (const path of ["page.html", "art/mark.svg"]) {
    await page.goto(w.url + "/alice/harbour/raw/main/" + path);
  }
});

test("an issue from its title to its end", async (t) => {
  const w = await world(t);
  const page = await open(t, w.url + "/", { allow: absent });
  await signIn(page, w, "bob");
  await page.goto(w.url + "/alice/harbour/issues");
  await page.getByLabel("Search titles and texts").fill("anchor");
  await soon("one is left", async () => (await page.locator(".threads > li").count()) === 1);
  assert.match(page.url(), /q=anchor/);
  await page.getByRole("link", { name: "New issue" }).click();
  await page.getByLabel("Title").fill("The bell rings by itself");
  await page.getByLabel("What is wrong or wanted").fill(`At night, **loudly**. ${evil}`);
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator(".previewed strong", { hasText: "loudly" }).waitFor();
  await accessible(page, "a preview");
  await page.getByRole("button", { name: "Open the issue" }).click();
  await page.getByRole("heading", { name: /The bell rings/ }).waitFor();
  await page.getByLabel("Comment", { exact: true }).fill("It was the wind.");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("bob closed it").waitFor();
  await page.locator(".said .md", { hasText: "It was the wind." }).waitFor();
  await page.locator(".said summary", { hasText: "Edit" }).click();
  await page.getByLabel("Text of the comment").fill("It was the **tide**.");
  await page.getByRole("button", { name: "Save the comment" }).click();
  await page.locator(".said strong", { hasText: "tide" }).waitFor();
  await page.getByText("edited just now").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  await page.locator(".state.open").waitFor();

  // What alice's agent wrote says so, and bob may not close it.
  await page.goto(w.url + "/alice/harbour/issues/1");
  await page.getByText("via claude-code/2.1, with the token agent on the quay").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Close" }).count(), 0);
});

test("a pull request until it is merged", async (t) => {
  const w = await world(t);
  const page = await open(t, w.url + "/", { allow: absent });
  await signIn(page, w);
  await page.goto(w.url + "/alice/harbour/pulls");
  await page.getByRole("link", { name: "Steady the keel in wind" }).click();
  await page.getByText("It merges into main without conflicts").waitFor();
  const tabs = page.getByLabel("Pull request", { exact: true });
  await tabs.getByRole("link", { name: "Commits" }).click();
  await page.getByText("Steady the keel in wind").last().waitFor();
  await tabs.getByRole("link", { name: "Changes" }).click();
  await page.locator("tr.add b").first().waitFor();
  await page.getByRole("link", { name: "Split" }).click();
  await page.locator("table.split").first().waitFor();
  await page.getByRole("link", { name: "Ignore white space" }).click();
  await page.getByText("white space ignored").waitFor();
  await page.locator("details.diff > summary").first().click();
  assert.equal(await page.locator("details.diff").first().getAttribute("open"), null);
  await tabs.getByRole("link", { name: "Conversation" }).click();
  await page.getByRole("button", { name: "Merge" }).click();
  await page.getByText("alice merged it").waitFor();

  // One that cannot be merged says why, and where.
  await page.goto(w.url + "/alice/harbour/pulls/16");
  await page.getByText("It cannot be merged").waitFor();
  await page.locator(".paths code", { hasText: "README.md" }).waitFor();

  // A new one, from the branches.
  const work = w.work("alice/harbour");
  work.git("fetch", "-q", "origin");
  work.git("switch", "-q", "-c", "bell", "origin/main");
  work.write("bell.txt", "ding\n");
  work.commit("Hang a bell");
  work.push("bell");
  await page.goto(w.url + "/alice/harbour/branches");
  await page.locator("li", { hasText: "bell" }).first().getByRole("link", { name: "Compare" }).click();
  await page.getByRole("link", { name: "Open a pull request" }).click();
  assert.equal(await page.getByLabel("Title").inputValue(), "Hang a bell");
  await page.getByRole("button", { name: "Open the pull request" }).click();
  await page.getByText("It merges into main without conflicts").waitFor();
});

test("the map of a repository, at a branch", async (t) => {
  const w = await world(t);
  const work = w.work("alice/harbour");
  work.git("switch", "-q", "-c", "crew", "main");
  work.write("CLAUDE.md", `# Harbour\n\nAsk @bosun, run /mend. See [the style](docs/style.md) and [the lost chart](docs/chart.md).\n`);
  work.write(".claude/agents/bosun.md", `---\nname: bosun\ndescription: "${evil.replaceAll('"', "'")}"\n---\n\nUse /mend. ${evil}\n`);
  work.commit("Take on a bosun");
  work.push("crew");
  work.git("switch", "-q", "main");

  const page = await open(t, w.url + "/alice/harbour/tree/crew", { allow: absent });
  await page.getByLabel("Repository", { exact: true }).getByRole("link", { name: "Map" }).click();
  await page.waitForURL("**/alice/harbour/map/crew");
  // The list comes after the page, the picture in a frame.
  await page.locator(".findings").getByText("docs/chart.md").first().waitFor();
  const map = page.frameLocator(".mapframe iframe");
  await map.locator(".map-box").waitFor();
  const frame = page.frames().find((f) => f.url().includes("/map-view/crew"));
  await soon("the map is drawn", () => frame.evaluate(() => window.skillMap?.phase === "ready" && performance.getEntriesByName("first-picture").length > 0));
  await accessible(page, "the map of a repository");
  await shoot(page, "forge-map-1440-light");

  // A node tells what is known of it, and leads to its file.
  await map.locator("#finder").fill("bosun");
  await map.getByRole("option", { name: /bosun/ }).click();
  await map.getByRole("heading", { name: "bosun", level: 2 }).waitFor();
  await map.locator(".markdown").getByText("<script>alert(2)</script>").waitFor();
  for (const never of ["Dismiss", "Scan again", "Ask an agent", "Jobs"]) assert.equal(await map.getByRole("button", { name: never }).count(), 0, never);
  await map.getByRole("complementary", { name: "Details" }).getByRole("button", { name: "See the file" }).click();
  await page.waitForURL("**/blob/*/.claude/agents/bosun.md");

  // From the list to the line, and to another branch.
  await page.goto(w.url + "/alice/harbour/map/crew?severity=error");
  await page.locator(".findings a", { hasText: "CLAUDE.md" }).first().click();
  await page.locator(".l.on", { hasText: "lost chart" }).waitFor();
  await page.goBack();
  await page.getByLabel("Branch or tag: crew").click();
  await page.getByRole("link", { name: "main", exact: true }).click();
  await page.waitForURL("**/alice/harbour/map/main");
  await page.locator("dl.facts").getByText("skill").waitFor();
  assert.equal(await page.locator(".findings a", { hasText: "CLAUDE.md" }).count(), 0);

  // The picture alone, with a way back.
  await page.getByRole("link", { name: "The map alone" }).click();
  await page.waitForURL("**/map-view/main");
  await page.locator(".map-box").waitFor();
  await page.getByRole("link", { name: /^alice\/harbour/ }).click();
  await page.waitForURL("**/alice/harbour/map/main");

  await page.goto(w.url + "/bob/empty/map");
  await page.getByText("nothing to map").waitFor();
  for (const path of ["map", "map-view/main", "map-data/main"]) assert.equal((await page.request.get(`${w.url}/alice/secret/${path}`)).status(), 404, path);
});

test("what is too large stays usable", async (t) => {
  const w = await world(t, { big: true });
  const page = await open(t, w.url + "/", { allow: absent });
  await page.goto(w.url + "/alice/huge/tree/main/many");
  await page.getByText("1 to 500 of 5").waitFor();
  await page.getByLabel("Search in this folder").fill("part-4321");
  await page.getByRole("link", { name: "part-4321.txt" }).waitFor();
  assert.equal(await page.locator(".entries > li").count(), 1);

  // A line far down is found, whatever part of the file it is in.
  await page.goto(w.url + "/alice/huge/blob/main/long.go#L15000");
  await page.locator("#L15000.on").waitFor();

  await page.goto(w.url + "/alice/huge/compare/main...more");
  await page.getByText("41 files").waitFor();
  const folded = page.locator("details.diff", { hasText: "long.go" }).first();
  await folded.locator("summary").click();
  await folded.getByRole("link", { name: "Show them" }).click();
  await page.locator("details.diff", { hasText: "long.go" }).first().locator("tr.del").first().waitFor();
  await page.getByRole("link", { name: "The next part" }).first().click();
  await page.getByText("of the difference").first().waitFor();
});

test("without scripts everything is a link or a form", async (t) => {
  const w = await world(t);
  const page = await open(t, w.url + "/", { allow: [...absent, /\.js/] });
  await page.context().route("**/*.js*", (r) => r.abort());
  await signIn(page, w);
  await page.goto(w.url + "/?q=harb");
  await page.getByRole("link", { name: "alice/harbour" }).click();
  await page.getByLabel("Branch or tag: main").click();
  await page.getByRole("link", { name: "All branches and tags" }).click();
  await page.getByRole("heading", { name: "Branches and tags" }).waitFor();
  await page.goto(w.url + "/alice/harbour/pulls/15");
  await page.getByRole("link", { name: "See whether it can be merged" }).click();
  await page.getByRole("button", { name: "Merge" }).click();
  await page.getByText("alice merged it").waitFor();
  await page.goto(w.url + "/alice/harbour/map");
  await page.getByRole("link", { name: "Show what is found" }).click();
  await page.locator("dl.facts").getByText("skill").waitFor();
  await page.locator(".findings li").first().waitFor();
  assert.equal(await page.locator("iframe").count(), 0);
});

// Every page, in both colours, wide and narrow: axe has nothing serious to say,
// nothing is wider than the window.
const every = {
  repositories: "/", home: "/alice/harbour", file: "/alice/harbour/blob/main/keel/keel.go", markdown: "/alice/harbour/blob/main/docs/style.md", image: "/alice/harbour/blob/main/art/mark.svg",
  blame: "/alice/harbour/blame/main/keel/keel.go", map: "/alice/harbour/map", commits: "/alice/harbour/commits", branches: "/alice/harbour/branches", compare: "/alice/harbour/compare/main...agent/42", search: "/alice/harbour/search?q=needle",
  issues: "/alice/harbour/issues", "issues-none": "/alice/harbour/issues?q=nothing-at-all", issue: "/alice/harbour/issues/1", "issue-evil": "/alice/harbour/issues/2", "issue-new": "/alice/harbour/issues/new",
  pulls: "/alice/harbour/pulls", pull: "/alice/harbour/pulls/15", conflict: "/alice/harbour/pulls/16", changes: "/alice/harbour/pulls/15/changes", split: "/alice/harbour/pulls/15/changes?view=split",
  settings: "/alice/harbour/settings", account: "/settings", tokens: "/settings/tokens", new: "/new", health: "/admin?look=1", users: "/admin/users", "all-repositories": "/admin/repositories", missing: "/alice/nothing",
};

// What a page shows only after it is loaded.
const later = { map: "dl.facts", pull: ".mergebox .good", conflict: ".mergebox .wrong" };

test("every page", async (t) => {
  const w = await world(t); // nothing of it changes meanwhile
  for (const [width, scheme] of [[1440, "light"], [390, "dark"], [1440, "dark"], [390, "light"]]) {
    await t.test(`at ${width} px, ${scheme}`, async (t) => {
      const page = await open(t, w.url + "/sign-in", { width, height: width < 800 ? 844 : 900, scheme, allow: absent });
      // All rules once, and once those that depend on size and colours.
      const rules = width === 1440 && scheme === "light" ? undefined : width === 390 && scheme === "dark" ? looks : null;
      if (rules !== null) await accessible(page, "sign in", rules);
      await shoot(page, `forge-sign-in-${width}-${scheme}`);
      await signIn(page, w);
      for (const [name, path] of Object.entries(every)) {
        await page.goto(w.url + path);
        if (later[name]) await page.locator(later[name]).first().waitFor();
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${path} is wider than ${width} px`);
        await shoot(page, `forge-${name}-${width}-${scheme}`);
        if (rules !== null) await accessible(page, `${path} at ${width} px, ${scheme}`, rules);
      }
    });
  }
});

test("a page follows the colours somebody chose", async (t) => {
  const w = await world(t);
  const page = await open(t, w.url + "/", { scheme: "light" });
  await page.getByLabel("Colours of the pages").click();
  await page.getByRole("button", { name: "Dark" }).click();
  await page.waitForURL(w.url + "/");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await accessible(page, "the list in the dark");
});
