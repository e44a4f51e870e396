import { render } from "preact";
import * as act from "./act";
import { App } from "./app";
import { motion } from "./map/glyphs";
import * as s from "./state";

const page = document.getElementById("page")!;
page.replaceChildren();
act.begin();
render(<App />, page);

// For the bench and for tests: what the page measured of itself.
Object.assign(window, {
  skillMap: {
    took: act.took,
    chart: act.theChart,
    motion,
    get phase() {
      return s.phase.value;
    },
    get nodes() {
      return s.sheet.value.nodes;
    },
    busy: () => [...s.busy.value.keys()],
    places: () => Object.fromEntries(s.sheet.value.items.map((item, i) => [item.path, [s.at.value[2 * i], s.at.value[2 * i + 1]]])),
  },
});
