// What a reader may do with a report. The page is complete without any of it.
'use strict';

const showCopyButtons = () => {
  for (const button of document.querySelectorAll('button.copy')) {
    const source = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = 'Copied';
      } catch {
        // Not every browser lets a file use the clipboard: select it for the reader's own copy.
        getSelection().selectAllChildren(source);
        button.textContent = 'Selected';
      }
    });
  }
};

const addDownload = () => {
  const data = document.getElementById('result-data').textContent;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data], {type: 'application/json'}));
  link.download = 'result.json';
  link.textContent = 'Download result.json';
  document.getElementById('download').append(' ', link);
};

const filterIdeas = () => {
  const words = document.getElementById('filter-words');
  const count = document.getElementById('filter-count');
  const ideas = [...document.querySelectorAll('.ideas > li')];
  const texts = ideas.map((idea) => idea.textContent.toLowerCase());
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    ideas.forEach((idea, i) => {
      idea.hidden = !wanted.every((word) => texts[i].includes(word));
      if (!idea.hidden) shown += 1;
    });
    count.textContent = wanted.length > 0 ? `${shown} of ${ideas.length}` : '';
    if (wanted.length === 0) return;
    // A match inside of a closed list would be found and not seen.
    for (const list of document.querySelectorAll('details:has(> .ideas)')) list.open = true;
  };
  words.addEventListener('input', filter);
  document.getElementById('filter').hidden = ideas.length === 0;
  // A browser may fill the field again when the page is reloaded.
  filter();
};

showCopyButtons();
addDownload();
filterIdeas();
