// Cards: what a node becomes when one is near enough to read. They are plain
// elements over the picture, a few dozen at most, made once and moved.

import { icon } from "../icons";
import { worst, type Item } from "../sheet";
import { count } from "../words";

export const cardWidth = 176;
export const cardHeight = 58;

export class Cards {
  private cards = new Map<string, HTMLElement>();
  private seen = new Set<string>();

  constructor(readonly root: HTMLElement) {}

  begin() {
    this.seen.clear();
  }

  show(id: string, item: Item, x: number, y: number, scale: number, state: { selected: boolean; pinned: boolean; colour: string }) {
    let card = this.cards.get(id);
    if (!card) {
      card = make(id, item);
      this.cards.set(id, card);
      this.root.append(card);
    }
    this.seen.add(id);
    card.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%) scale(${scale.toFixed(3)})`;
    card.style.setProperty("--kind", state.colour);
    card.classList.toggle("is-selected", state.selected);
    card.classList.toggle("is-pinned", state.pinned);
  }

  end() {
    for (const [id, card] of this.cards) {
      if (this.seen.has(id)) continue;
      card.remove();
      this.cards.delete(id);
    }
  }

  // forget drops cards, so that they are made anew of changed nodes.
  forget(ids?: Iterable<string>) {
    for (const id of ids ?? [...this.cards.keys()]) {
      this.cards.get(id)?.remove();
      this.cards.delete(id);
    }
  }

  spark(ids: Iterable<string>) {
    for (const id of ids) {
      const card = this.cards.get(id);
      if (!card) continue;
      card.classList.remove("is-sparking");
      void card.offsetWidth; // begins the animation anew
      card.classList.add("is-sparking");
    }
  }
}

function make(id: string, item: Item): HTMLElement {
  const card = element("div", "card");
  card.dataset.id = id;
  card.dataset.kind = item.kind;
  const mark = element("span", "card-mark");
  mark.append(icon(item.ghost ? "broken" : kindIcon(item.kind)));
  const name = element("span", "card-name");
  name.textContent = item.name;
  const facts = element("span", "card-facts");
  if (item.ghost) facts.textContent = item.broken ? "leads nowhere" : "not in this project";
  else {
    if (item.tokens) facts.append(fact("card-fact", count(item.tokens) + " tok"));
    facts.append(fact("card-fact card-in", "← " + item.in), fact("card-fact card-out", "→ " + item.out));
    const bad = worst(item);
    if (bad) facts.append(fact("card-fact card-bad is-" + bad, String(item.errors + item.warns + item.infos)));
    if (item.drift.startsWith("stale")) facts.append(fact("card-fact card-drift", "drift"));
    for (const tag of item.tags.slice(0, 1)) facts.append(fact("card-fact card-tag", tag));
  }
  card.append(mark, name, facts);
  return card;
}

export function kindIcon(kind: string): string {
  switch (kind) {
    case "agent":
    case "skill":
    case "command":
    case "workflow":
    case "markdown":
    case "mcp":
      return kind;
  }
  return "node";
}

function fact(name: string, text: string): HTMLElement {
  const e = element("span", name);
  e.textContent = text;
  return e;
}

function element(tag: string, name: string): HTMLElement {
  const e = document.createElement(tag);
  e.className = name;
  return e;
}
