// What a reader may do with the report of a sweep. The page is complete without any of it.
'use strict';

const linkTo = new Map(
  [...document.querySelectorAll('a[data-cell]')].map((link) => [link.dataset.cell, link]));
const cells = [...document.querySelectorAll('details.cell')].map((details) => ({
  details,
  link: linkTo.get(details.querySelector('[id]').id),
  text: details.textContent.toLowerCase(),
}));

// A row or a column without a cell to show is in the way.
const hideEmptyLines = () => {
  const table = document.querySelector('.matrix');
  const [head, ...rows] = [...table.rows];
  const isShown = (cell) => cell.querySelector('a[data-cell]:not([hidden])') !== null;
  const shown = rows.map((row) => [...row.cells].slice(1).map(isShown));
  rows.forEach((row, i) => { row.hidden = !shown[i].includes(true); });
  for (let column = 1; column < head.cells.length; column += 1) {
    const isEmpty = !shown.some((row) => row[column - 1]);
    for (const row of [head, ...rows]) row.cells[column].hidden = isEmpty;
  }
};

const filterCells = () => {
  const words = document.getElementById('filter-words');
  const choices = [...document.querySelectorAll('#filter select')];
  const count = document.getElementById('filter-count');
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = choices.filter((choice) => choice.value !== '');
    let shown = 0;
    for (const {details, link, text} of cells) {
      const matches = wanted.every((word) => text.includes(word)) &&
        chosen.every((choice) => details.dataset[choice.dataset.field] === choice.value);
      details.hidden = !matches;
      link.hidden = !matches;
      if (matches) shown += 1;
    }
    hideEmptyLines();
    count.textContent = `${shown} of ${cells.length} cells`;
  };
  words.addEventListener('input', filter);
  for (const choice of choices) choice.addEventListener('change', filter);
  document.getElementById('filter-clear').addEventListener('click', () => {
    words.value = '';
    for (const choice of choices) choice.value = '';
    filter();
  });
  document.getElementById('filter').hidden = false;
  // A browser may fill the fields again when the page is reloaded.
  filter();
};

// Not every browser unfolds what a link leads to.
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  const details = target && target.closest('details.cell');
  if (!details) return;
  details.open = true;
  target.focus({preventScroll: true});
  details.scrollIntoView();
};

if (cells.length > 0) filterCells();
addEventListener('hashchange', openTarget);
openTarget();
