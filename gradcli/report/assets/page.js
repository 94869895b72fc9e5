
// Steps through a page of gradcli. It only shows, hides and copies what the page has: it makes no
// element from text. Without it the page shows everything, one below the other.
"use strict";
(() => {
  const levels = [...document.querySelectorAll(".level")].map((section) => ({
    section,
    figure: section.querySelector(".graph"),
    steps: [...section.querySelectorAll(".step")],
    boxes: [...section.querySelectorAll(".box")],
    arrows: [...section.querySelectorAll("path[data-end]")],
  }));
  const controls = document.querySelector(".controls");
  if (!controls || !levels.length) return;
  const named = (name) => controls.querySelector(`[data-control="${name}"]`);
  const slider = named("slider");
  const chosen = named("level");
  const status = named("status");
  let level = 0;
  let place = 0;

  // Show one step of a level: its card, its box, and the arrows that it follows.
  function show(newLevel, newPlace, focus) {
    level = Math.min(Math.max(newLevel, 0), levels.length - 1);
    const { section, steps, boxes, arrows } = levels[level];
    place = Math.min(Math.max(newPlace, 0), steps.length - 1);
    levels.forEach((each) => { each.section.hidden = each.section !== section; });
    steps.forEach((step, i) => { step.hidden = i !== place; });
    const step = steps[place];
    copyWhatGoesIn(step);
    boxes.forEach((box) => {
      box.classList.toggle("now", box.id === step.dataset.box);
      box.querySelectorAll(".value").forEach((text) =>
        text.classList.toggle("later", !reached(steps, box.dataset.forward)));
      const grads = [...box.querySelectorAll(".grad")];
      const last = grads.filter((text) => reached(steps, text.dataset.step)).pop();
      grads.forEach((text) => text.classList.toggle("later", text !== last));
    });
    const back = step.dataset.kind === "backward";
    arrows.forEach((arrow) => arrow.classList.toggle("now",
      (back ? arrow.dataset.start : arrow.dataset.end) === step.dataset.box));
    slider.max = String(steps.length - 1);
    slider.value = String(place);
    slider.setAttribute("aria-valuetext", step.dataset.title);
    named("first").disabled = named("back").disabled = place === 0;
    named("next").disabled = named("last").disabled = place === steps.length - 1;
    if (chosen) chosen.value = String(level);
    status.textContent = `Step ${place + 1} of ${steps.length}, ${step.dataset.kind}: ` +
      step.dataset.title;
    scrollTo(step.dataset.box);
    if (focus) step.focus({ preventScroll: true });
  }

  function reached(steps, id) {
    const at = steps.findIndex((step) => step.id === id);
    return at >= 0 && at <= place;
  }

  // The values and grads that a step computes with are those of earlier steps: show copies.
  function copyWhatGoesIn(step) {
    const slot = step.querySelector(".in");
    if (!slot || slot.childElementCount) return;
    for (const id of slot.dataset.from.split(" ")) {
      const source = document.getElementById(id);
      if (!source) continue;
      const copy = source.cloneNode(true);
      copy.removeAttribute("id");
      copy.querySelectorAll("button").forEach((button) =>
        button.replaceWith(document.createTextNode(button.textContent)));
      slot.append(copy);
    }
  }

  function scrollTo(id) {
    const { figure } = levels[level];
    const box = id && document.getElementById(id);
    if (!figure || !box) return;
    const frame = figure.getBoundingClientRect();
    const at = box.getBoundingClientRect();
    figure.scrollLeft += at.left + at.width / 2 - frame.left - frame.width / 2;
    figure.scrollTop += at.top + at.height / 2 - frame.top - frame.height / 2;
  }

  function goTo(id, focus) {
    levels.forEach((each, i) => {
      const at = each.steps.findIndex((step) => step.id === id);
      if (at >= 0) show(i, at, focus);
    });
  }

  // A click on a box: the step that computes it, with its local Jacobian.
  function openBox(box) {
    const [id] = (box.dataset.forward || box.dataset.backward || "").split(" ");
    if (!id) return;
    goTo(id, true);
    document.getElementById(id).querySelectorAll(".jacobian").forEach((each) => {
      each.open = true;
    });
  }

  // A click on an entry of a grad: the paths that make it.
  function openPaths(button) {
    const found = document.getElementById(button.dataset.paths);
    if (!found) return;
    found.closest(".step").querySelectorAll(".paths").forEach((each) => {
      each.open = each === found;
    });
    found.querySelector("summary").focus();
    found.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("click", (event) => {
    const box = event.target.closest(".box");
    const button = event.target.closest("button");
    const link = event.target.closest("a[data-step]");
    if (box) openBox(box);
    else if (button && button.dataset.paths) openPaths(button);
    else if (button && button.dataset.step) goTo(button.dataset.step, true);
    else if (link) { event.preventDefault(); goTo(link.dataset.step, true); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const box = event.target.closest(".box");
    if (box && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      openBox(box);
      return;
    }
    if (event.target.closest("input, select, .wide, .equation")) return;
    const last = levels[level].steps.length - 1;
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(level, to, false);
  });
  named("first").addEventListener("click", () => show(level, 0));
  named("back").addEventListener("click", () => show(level, place - 1));
  named("next").addEventListener("click", () => show(level, place + 1));
  named("last").addEventListener("click", () => show(level, Infinity));
  slider.addEventListener("input", () => show(level, Number(slider.value)));
  if (chosen) chosen.addEventListener("change", () => show(Number(chosen.value), 0));

  document.body.classList.add("live");
  controls.hidden = false;
  document.querySelectorAll(".needs-script").forEach((each) => { each.hidden = false; });
  levels.forEach(({ boxes }) => boxes.forEach((box) => {
    box.setAttribute("role", "button");
    box.setAttribute("tabindex", "0");
  }));
  show(0, 0);
})();
