// The table of docs/tasks.md.
import fs from 'node:fs';
import {packages} from './sources.mjs';

const begin_mark = '<!-- written by tools/tasks.sh from here on -->';

const percent = (share) => (100 * share).toFixed(1);
const points = (share) => (100 * share).toFixed(2);
const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);

const estimate_of = ({value, low, high}) => `${percent(value)} % (${percent(low)} to ${percent(high)})`;

function difference_of(metric) {
  if (!metric.difference) return '';
  return `${points(metric.difference.value)}, above ${points(metric.difference.low)}`;
}

function verdict_of({verdict}) {
  if (verdict === null) return '';
  const more = verdict.samples_needed ? `, ${verdict.samples_needed.toLocaleString('en')} samples would tell` : '';
  return `${verdict.verdict}${more}`;
}

function agreement_of({agrees}) {
  if (agrees === undefined) return '';
  if (agrees.failed) return agrees.failed;
  const [first] = agrees.outputs;
  return first.cosine ? `${first.cosine.value.toFixed(4)}` : 'not comparable';
}

// Threads that others keep from their cores wait for each other: what was measured then is not the network.
const busy_share = 0.25;

function race_of({race}) {
  if (race === undefined) return '';
  if (race.failed) return race.failed;
  const [arm] = race.arms;
  const [low, high] = arm.interval ?? [];
  const ratio = arm.ratio && arm.interval?.length === 2 ? `, ${arm.ratio.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]` : '';
  return `${race.others > busy_share ? 'mistrusted' : arm.verdict}${ratio}`;
}

// A line for each data set that a build was judged on; one where nobody says what is right.
function lines_of({network, builds}) {
  return builds.flatMap((one, at) => {
    const name = at === 0 ? network.id : '';
    if (one.failed) return [[name, one.name, '', `not made: ${one.failed}`, '', '', '', '']];
    const judged = one.judged.length > 0 ? one.judged : [null];
    return judged.map((seen, row) => {
      const head = row === 0 ? [name, `${one.name}, ${mib(one.bytes)} MiB`] : ['', ''];
      const tail = row === 0 ? [agreement_of(one), race_of(one)] : ['', ''];
      if (seen === null) return [...head, 'no labels', '', '', '', ...tail];
      if (seen.failed) return [...head, seen.data, `not judged: ${seen.failed}`, '', '', ...tail];
      const [metric] = seen.metrics;
      return [...head, `${seen.data}, ${metric.model.samples.toLocaleString('en')}`, `${metric.name} ${estimate_of(metric.model)}`, difference_of(metric), verdict_of(seen), ...tail];
    });
  });
}

// How busy the machine was while networks raced.
function load_of(rows) {
  const shares = rows.flatMap(({builds}) => builds).map(({race}) => race?.others).filter((share) => share != null);
  if (shares.length === 0) return '';
  return `; other work took ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))} % of the CPUs during races`;
}

const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

// What stands above the mark stays.
export function write_page(file, {version, rows}) {
  const made = [
    `${version}; a margin of one point${load_of(rows)}.`, '',
    line(['network', 'build', 'data, samples', 'what decides, 95 %', 'difference to float, points', 'within a point', 'cosine to float', 'time, float = 1']),
    '|---|---|---|---|---|---|---|---|',
    ...rows.flatMap(lines_of).map(line), '',
    line(['package', 'from', 'licence']), '|---|---|---|',
    ...Object.values(packages).map(({name, version: number, from, licence}) => line([`${name} ${number}`, from === 'npm' ? 'npm' : 'Debian', licence])),
    ''].join('\n');
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const at = before.indexOf(begin_mark);
  fs.writeFileSync(file, at < 0 ? made : `${before.slice(0, at)}${begin_mark}\n\n${made}`);
}
