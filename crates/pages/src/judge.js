"use strict";
const { pairs, pages } = JSON.parse(document.getElementById("data").textContent);
const KEY = "lookalike-judge-" + NAME;
const byId = (id) => document.getElementById(id);

let state = { at: 0, labels: {}, judge: "" };
try {
  const kept = JSON.parse(localStorage.getItem(KEY));
  if (kept && kept.labels) state = kept;
} catch { /* A browser that keeps nothing: labels last as long as the page is open. */ }

function keep() {
  try { localStorage.setItem(KEY, JSON.stringify(state)); } catch { /* As above. */ }
}

// What would steer or turn the text around it is not shown.
function plain(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = plain(text);
  if (className) made.className = className;
  return made;
}

// What loads, runs or leads elsewhere. Frames and objects have pages of their own.
const DROPPED = "script, noscript, template, iframe, frame, frameset, object, embed, applet, portal, link, meta, "
  + "base, audio, video, source, track, canvas, fencedframe, foreignObject, animate, set, use, image";

// What is left of an element: how it looks, and what a form has in it.
const KEPT = new Set(("class id style dir lang title hidden open align valign bgcolor color face size width height "
  + "border cellpadding cellspacing colspan rowspan span start reversed type value placeholder checked selected "
  + "disabled multiple label rows cols").split(" "));

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const FRAME_STYLE = "html { background: #fff; color: #111; font: 15px/1.45 system-ui, sans-serif; "
  + "overflow-wrap: anywhere } .lookalike-picture { display: inline-block; padding: 0.1em 0.4em; "
  + "border: 1px dashed #888; color: #555; font-size: 12px }";

// The browser stops what a style would load; this leaves nothing to stop.
function harmless(style) {
  return style.replace(/url\s*\(|src\s*\(|image-set\s*\(|@import|@namespace|expression\s*\(/gi, "none(");
}

// The page as a visitor sees it, in markup that does nothing.
function rendition(markup) {
  // Nothing of a parsed document runs, loads or is shown.
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  for (const picture of parsed.querySelectorAll("img")) {
    const box = parsed.createElement("span");
    box.className = "lookalike-picture";
    const name = (picture.getAttribute("src") || "").split(/[?#]/)[0].split("/").pop();
    box.textContent = plain("picture " + [name, picture.getAttribute("alt")].filter(Boolean).join(": "));
    picture.replaceWith(box);
  }
  for (const dropped of parsed.querySelectorAll(DROPPED)) dropped.remove();
  for (const kept of parsed.querySelectorAll("*")) {
    for (const { name } of [...kept.attributes]) if (!KEPT.has(name)) kept.removeAttribute(name);
    if (kept.hasAttribute("style")) kept.setAttribute("style", harmless(kept.getAttribute("style")));
    if (kept.localName === "style") kept.textContent = harmless(kept.textContent);
  }
  const styles = [...(parsed.head ? parsed.head.querySelectorAll("style") : [])];
  const body = parsed.body ? parsed.body.outerHTML : "";
  return "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\""
    + POLICY + "\"><style>" + FRAME_STYLE + "</style>" + styles.map((style) => style.outerHTML).join("")
    + "</head>" + body + "</html>";
}

function shownPage(page, name) {
  if (!page.html) return element("div", page.content || "Nothing of it can be read.", "text");
  const frame = element("iframe", undefined, "page");
  // Before it has anything in it: no script, no form, no window, no origin.
  frame.setAttribute("sandbox", "");
  frame.setAttribute("referrerpolicy", "no-referrer");
  frame.title = plain(name);
  frame.srcdoc = rendition(page.content);
  return frame;
}

function side(pair, other) {
  const column = element("section", undefined, "side");
  const heading = element("h2");
  heading.append(element("bdi", other ? pair.b : pair.a));
  const page = pages[pair.pages[other]];
  const address = element("p", undefined, "address");
  address.append(element("bdi", page.url || "no address"));
  column.append(heading, address, shownPage(page, other ? pair.b : pair.a));
  if (page.is_cut) column.append(element("p", "It goes on; only its beginning is shown.", "soft"));
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
    const judge = state.judge ? { judge: state.judge } : {};
    return JSON.stringify({ a, b, ...state.labels[at], ...judge, weight }) + "\n";
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

// Takes over the labels of a file that was saved; those that are given here already stay.
function load(text) {
  const places = new Map(pairs.map(({ a, b }, at) => [JSON.stringify([a, b].sort()), at]));
  let [taken, unknown] = [0, 0];
  for (const line of text.split("\n").filter((line) => line.trim())) {
    let read = {};
    try { read = JSON.parse(line) || {}; } catch { /* Counted below. */ }
    const at = places.get(JSON.stringify([String(read.a), String(read.b)].sort()));
    if (at === undefined || !["correct", "incorrect", "undecided"].includes(read.label)) {
      unknown += 1;
    } else if (!Object.hasOwn(state.labels, at)) {
      const { label, reason } = read;
      state.labels[at] = reason ? { label, reason: String(reason) } : { label };
      taken += 1;
    }
    if (!state.judge && typeof read.judge === "string") state.judge = read.judge;
  }
  byId("judge").value = state.judge || "";
  const first = pairs.findIndex((_, at) => !Object.hasOwn(state.labels, at));
  go(first < 0 ? pairs.length : first);
  const more = unknown ? ", " + unknown + " lines are of other pairs or no labels" : "";
  byId("done").textContent += "; " + taken + " labels were taken over" + more;
}

const keys = {
  c: () => judge("correct"), i: () => judge("incorrect"), u: () => judge("undecided"),
  b: () => go(state.at - 1), ArrowLeft: () => go(state.at - 1),
  n: () => go(state.at + 1), ArrowRight: () => go(state.at + 1),
  r: () => byId("reason").focus(), s: save,
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.localName === "input") {
    if (event.key === "Enter" || event.key === "Escape") event.target.blur();
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
byId("judge").value = state.judge || "";
byId("judge").addEventListener("input", () => {
  state.judge = byId("judge").value.trim();
  keep();
});
byId("load").addEventListener("change", async () => {
  const [file] = byId("load").files;
  if (file) load(await file.text());
  byId("load").value = "";
});
show();
