// What the pages do beyond links and forms. All of it is a convenience: the
// pages are whole without it.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      say(button, "Copied");
    } catch {
      say(button, "Select the text and copy it");
    }
    return;
  }
  // One menu at a time, and none after a click elsewhere.
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

function say(button, words) {
  const before = button.title;
  button.title = words;
  button.classList.add("told");
  button.setAttribute("data-told", words);
  setTimeout(() => {
    button.title = before;
    button.classList.remove("told");
  }, 1500);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = document.activeElement?.closest("details.menu[open]") ?? document.querySelector("details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
  const target = event.key.length === 1 && document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.tagName === "A") target.click();
  else target.focus();
});

// Lines of a file: #L10 or #L10-L20 stand out, a click with Shift makes a
// range, and a line of another part of the file leads there.
function chosen() {
  const found = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
  return found && [Number(found[1]), Number(found[2] ?? found[1])].sort((a, b) => a - b);
}

function markLines(jump) {
  const code = document.querySelector(".code[data-lines]");
  const range = chosen();
  for (const line of document.querySelectorAll(".l.on")) line.classList.remove("on");
  if (!code || !range) return;
  const [first, last] = code.dataset.lines.split("-").map(Number);
  if (range[0] < first || range[0] > last) {
    if (range[0] <= Number(code.dataset.total)) {
      const there = new URL(location.href);
      there.searchParams.set("page", Math.ceil(range[0] / Number(code.dataset.per)));
      location.replace(there);
    }
    return;
  }
  for (let n = range[0]; n <= Math.min(range[1], last); n++) document.getElementById("L" + n)?.classList.add("on");
  if (jump) document.getElementById("L" + range[0])?.scrollIntoView({ block: "center" });
}

document.addEventListener("click", (event) => {
  const number = event.target.closest(".code[data-lines] .l > a");
  if (!number) return;
  const clicked = Number(number.textContent);
  const range = chosen();
  event.preventDefault();
  const hash = event.shiftKey && range ? `#L${Math.min(range[0], clicked)}-L${Math.max(range[0], clicked)}` : `#L${clicked}`;
  history.replaceState(null, "", hash);
  markLines(false);
});

addEventListener("hashchange", () => markLines(true));
markLines(true);

// The picture of a map is a page of its own, in a frame. Without scripts it
// would draw nothing, so it is put there by one.
for (const place of document.querySelectorAll("[data-frame]")) {
  const frame = document.createElement("iframe");
  frame.src = place.dataset.frame;
  frame.title = place.dataset.title;
  place.append(frame);
}
