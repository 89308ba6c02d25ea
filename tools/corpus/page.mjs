// The table as a page, and every cell as a line.
import fs from 'node:fs';

const begin_mark = '<!-- written by `make corpus` from here on -->';

// Reasons that differ in names and numbers alone are one footnote.
const general = (reason) => reason.replace(/'[^']*'/g, "'...'").replace(/\d+(\.\d+)?(e[-+]?\d+)?/g, 'N');

// A footnote as it reads in Markdown: names of tensors hold marks of it.
const plain = (text) => text.replace(/[\\`*_{}[\]<>|]/g, (mark) => `\\${mark}`).slice(0, 320).trimEnd();

const short = {'convert up': 'up', 'convert down': 'down'};

function notes_of(rows) {
  const notes = new Map();
  for (const {results} of rows) {
    for (const {verdict, reason, why} of results.values()) {
      if (reason === null) continue;
      const key = `${verdict} ${general(reason)}`;
      if (!notes.has(key)) notes.set(key, {number: notes.size + 1, verdict, reason, why, cells: 0});
      notes.get(key).cells += 1;
    }
  }
  return notes;
}

function word_of(result, notes) {
  if (result === undefined) return '';
  if (result.reason === null) return result.verdict;
  return `${result.verdict} ${notes.get(`${result.verdict} ${general(result.reason)}`).number}`;
}

function table_of({rows, columns}, notes) {
  const names = columns.map(({name}) => name);
  const line = (words) => `| ${words.join(' | ')} |`;
  return [
    line(['network', ...names.map((name) => short[name] ?? name)]),
    `|---|${names.map(() => '---|').join('')}`,
    ...rows.map(({network, results}) => line([network.id, ...names.map((name) => word_of(results.get(name), notes))])),
  ];
}

function networks_of(rows) {
  if (rows.every(({network}) => network.package === null)) return [];
  return ['', '| network | package | licence | what it is |', '|---|---|---|---|',
    ...rows.map(({network}) => `| ${network.id} | ${network.package} | ${network.licence} | ${network.traits} |`)];
}

function counted(rows) {
  const counts = {};
  for (const {results} of rows) for (const {verdict} of results.values()) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return ['ok', 'refused', 'n/a', 'FAIL'].map((verdict) => `${counts[verdict] ?? 0} ${verdict}`).join(', ');
}

// What stands above the mark in a page that is there stays.
export function write_page(file, summary) {
  const notes = notes_of(summary.rows);
  const made = [
    `${summary.rows.length} networks, ${summary.version}: ${counted(summary.rows)}.`, '',
    ...table_of(summary, notes), '',
    ...[...notes.values()].map(({number, verdict, reason, why}) =>
      `${number}. ${verdict}: ${plain(reason)}${why ? ` *${why}*` : ''}`),
    ...networks_of(summary.rows), ''].join('\n');
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const at = before.indexOf(begin_mark);
  fs.writeFileSync(file, at < 0 ? made : `${before.slice(0, at)}${begin_mark}\n\n${made}`);
}

const quoted = (word) => (/^[\w./:=@,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// network, cell, verdict, seconds, exit, reason, the command that ended it.
export function write_results(file, {rows}, words_of) {
  const lines = [];
  for (const {network, results} of rows) {
    for (const [cell, {verdict, reason, seconds, record}] of results) {
      const last = record.steps.at(-1);
      const exit = last === undefined ? '' : last.signal ?? last.exit;
      lines.push([network.id, cell, verdict, seconds.toFixed(1), exit, reason ?? '', last === undefined ? '' : last.argv.map(quoted).join(' '),
        verdict === 'FAIL' && last !== undefined ? words_of(last) : ''].map((word) => String(word).replace(/[\t\n]+/g, ' ')).join('\t'));
    }
  }
  fs.writeFileSync(file, ['network\tcell\tverdict\tseconds\texit\treason\tcommand\tsaid', ...lines, ''].join('\n'));
}
