"use strict";
const pairs = JSON.parse(document.getElementById("data").textContent);
const KEY = "lookalike-judge-" + NAME;
const byId = (id) => document.getElementById(id);

let state = { at: 0, labels: {} };
try {
  const kept = JSON.parse(localStorage.getItem(KEY));
  if (kept && kept.labels) state = kept;
} catch { /* A browser that keeps nothing: labels last as long as the page is open. */ }

function keep() {
  try { localStorage.setItem(KEY, JSON.stringify(state)); } catch { /* As above. */ }
}

// What would steer or turn the text around it is not shown.
function plain(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = plain(text);
  if (className) made.className = className;
  return made;
}

function side(pair, other) {
  const column = element("section", undefined, "side");
  const heading = element("h2");
  heading.append(element("bdi", other ? pair.b : pair.a));
  column.append(heading, element("p", pair.beginnings[other] + " ...", "beginning"));
  const passage = element("p", undefined, "passage");
  for (const piece of pair.pieces) {
    const [[kind, value]] = Object.entries(piece);
    if (kind === "gap") {
      passage.append(element("span", "... " + value.toLocaleString("en") + " equal ...", "gap"));
    } else if (kind === "equal") {
      passage.append(element("span", value));
    } else if ((kind === "inserted") === Boolean(other)) {
      passage.append(element(other ? "ins" : "del", value));
    } else {
      continue;
    }
    passage.append(" ");
  }
  column.append(passage);
  return column;
}

function show() {
  const done = Object.keys(state.labels).length;
  byId("done").textContent = done + " of " + pairs.length + " judged";
  byId("bar").max = Math.max(pairs.length, 1);
  byId("bar").value = done;
  const place = byId("pair");
  place.replaceChildren();
  const pair = pairs[state.at];
  const given = state.labels[state.at];
  for (const button of document.querySelectorAll("[data-label]")) {
    button.disabled = !pair;
    button.setAttribute("aria-pressed", String(Boolean(given) && given.label === button.dataset.label));
  }
  byId("reason").value = (given && given.reason) || "";
  byId("back").disabled = state.at === 0;
  byId("next").disabled = !pair;
  if (!pair) {
    const all = pairs.length ? "That was the last pair. Save the labels." : "There is no pair to judge.";
    place.append(element("p", all, "lede"));
    return;
  }
  const count = (number, noun) => number + " " + noun + (number === 1 ? "" : "s");
  const words = count(pair.deleted, "word") + " only on the left, " + pair.inserted + " only on the right, in "
    + count(pair.places, "place") + (pair.shortened ? "; only some are shown" : "");
  place.append(element("p", "Pair " + (state.at + 1) + ": " + words + ".", "soft"));
  const sides = element("div", undefined, "sides");
  sides.append(side(pair, 0), side(pair, 1));
  place.append(sides);
}

function go(to) {
  state.at = Math.min(Math.max(to, 0), pairs.length);
  keep();
  show();
  scrollTo(0, 0);
}

function judge(label) {
  if (state.at >= pairs.length) return;
  const reason = byId("reason").value.trim();
  state.labels[state.at] = reason ? { label, reason } : { label };
  byId("reason").blur();
  go(state.at + 1);
}

function labels() {
  const lines = Object.keys(state.labels).map(Number).sort((x, y) => x - y).map((at) => {
    const { a, b, weight } = pairs[at];
    return JSON.stringify({ a, b, ...state.labels[at], weight }) + "\n";
  });
  return lines.join("");
}

function save() {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([labels()], { type: "application/jsonl" }));
  link.download = "labels.jsonl";
  link.click();
  // Not at once: the browser may not have begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const keys = {
  c: () => judge("correct"), i: () => judge("incorrect"), u: () => judge("undecided"),
  b: () => go(state.at - 1), ArrowLeft: () => go(state.at - 1),
  n: () => go(state.at + 1), ArrowRight: () => go(state.at + 1),
  r: () => byId("reason").focus(), s: save,
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("reason")) {
    if (event.key === "Enter" || event.key === "Escape") byId("reason").blur();
    return;
  }
  if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});
for (const button of document.querySelectorAll("[data-label]")) {
  button.addEventListener("click", () => judge(button.dataset.label));
}
byId("back").addEventListener("click", keys.b);
byId("next").addEventListener("click", keys.n);
byId("save").addEventListener("click", save);
show();
