// Every command of hone on every network, one table. Results are kept per cell, so it goes on where it stopped.
import {createHash} from 'node:crypto';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {cells} from './cells.mjs';
import {accepted_reasons, judge, words_of} from './judge.mjs';
import {Problem, drop_packages, fetch_network, own_networks, sha256_of, shipped_networks} from './networks.mjs';
import {write_page, write_results} from './page.mjs';
import {Progress} from './progress.mjs';
import {end_running, run} from './run.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const second_package = 'onnxruntime-node@1.20.1';

const {values: options} = parseArgs({options: {
  hone: {type: 'string'}, models: {type: 'string'}, only: {type: 'string'}, cells: {type: 'string'},
  out: {type: 'string'}, page: {type: 'string'}, patience: {type: 'string', default: '1'},
  'no-second': {type: 'boolean', default: false}, known: {type: 'boolean', default: false},
}});

function die(what, hint) {
  process.stderr.write(`corpus: ${what}\n${hint ? `  try: ${hint}\n` : ''}`);
  process.exit(2);
}

// Of all, those that are named; a name that means none is refused.
function chosen(all, names, kind) {
  if (!names) return all;
  const wanted = names.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const unknown = wanted.find((name) => !all.some((thing) => (thing.id ?? thing.name) === name));
  if (unknown !== undefined) throw new Problem(`there is no ${kind} '${unknown}'; there are ${all.map((thing) => thing.id ?? thing.name).join(', ')}`);
  return all.filter((thing) => wanted.includes(thing.id ?? thing.name));
}

// `quantize` and `convert` stand for all columns of theirs.
const groups = {quantize: 'w8a8,w8a16,int4,fp16,dynamic', convert: 'convert up,convert down'};
const spelled_out = (names) => names?.split(',').map((name) => groups[name.trim()] ?? name.replace('-', ' ')).join(',');

// The other runtime, fetched once; null, with a word, where it cannot be had.
function second_runtime(folder, say) {
  if (options['no-second']) return null;
  const target = path.join(folder, 'second');
  const there = path.join(target, 'node_modules/onnxruntime-node/package.json');
  if (!fs.existsSync(there)) {
    say(`fetching ${second_package}`);
    fs.mkdirSync(target, {recursive: true});
    try {
      execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-save', '--prefix', target, second_package],
        {stdio: ['ignore', 'ignore', 'pipe'], cwd: target});
    } catch {
      say(`${second_package} cannot be had: no second opinion`);
      return null;
    }
  }
  return {folder: target, script: path.join(here, 'second.mjs')};
}

function is_alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// One run in a folder at a time: two would spoil each other's times. What a killed run left is taken over.
function lock(folder) {
  const file = path.join(folder, '.lock');
  const other = fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
  if (other > 0 && is_alive(other)) {
    throw new Problem(`process ${other} works in '${folder}'; CORPUS_OUT names another folder`);
  }
  fs.writeFileSync(file, String(process.pid));
  return () => fs.rmSync(file, {force: true});
}

// Networks that cannot be had, with the reason.
function fetch_all(networks, out, say) {
  const missing = new Map();
  for (const network of networks) {
    try {
      fetch_network(network, out, say);
    } catch (error) {
      const said = error.stderr?.toString().trim().split('\n').find((line) => line !== '');
      missing.set(network, `it cannot be fetched: ${said ?? error.message}`);
    }
  }
  drop_packages(out);
  return missing;
}

// Files below a folder, with their paths from there.
function files_below(folder) {
  return fs.readdirSync(folder, {recursive: true, withFileTypes: true}).filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name))).sort();
}

function kept_of(step, ended) {
  if (ended.timed_out || (ended.exit !== 0 && !(step.fine ?? []).includes(ended.exit) && ended.stopped_at === null)) return {facts: null};
  try {
    return {facts: step.keep(ended.answer ?? {}, ended)};
  } catch (error) {
    return {facts: null, unreadable: error.message};
  }
}

// Runs the steps of a cell in a folder that is gone afterwards.
async function run_cell(cell, context, folder) {
  const skipped = cell.skip?.(context) ?? null;
  if (skipped !== null) return {skipped, steps: [], files: [], left_behind: []};
  fs.rmSync(folder, {recursive: true, force: true});
  fs.mkdirSync(folder, {recursive: true});
  const env = {...process.env, ORT_DISABLE_TELEMETRY: '1', NO_COLOR: '1', HONE_CACHE: path.join(folder, '.cache')};
  const steps = [];
  let before = [];
  for (const step of cell.steps(context)) {
    before = files_below(folder);
    const limit_s = cell.limit_s * Number(options.patience);
    const ended = await run(step.argv, {cwd: folder, env, limit_s, stop_after_s: step.stop_after_s});
    const kept = kept_of(step, ended);
    const failed = kept.facts === null;
    steps.push({argv: step.argv, exit: ended.exit, signal: ended.signal, timed_out: ended.timed_out, limit_s,
      stopped_at: ended.stopped_at, seconds: ended.seconds, fine: step.fine ?? [], error: ended.answer?.error ?? null,
      said: step.says?.(ended.answer ?? {}) ?? null,
      stderr_tail: ended.stderr_tail, ...kept});
    if (step.writes && !failed) fs.writeFileSync(path.join(folder, step.writes), JSON.stringify(kept.facts));
    if (failed) break;
  }
  const files = files_below(folder).filter((file) => !file.startsWith('.cache/'));
  const left_behind = files.filter((file) => !before.includes(file));
  fs.rmSync(folder, {recursive: true, force: true});
  return {skipped: null, steps, files, left_behind};
}

// Where the result of a cell is: another binary, network or command line is another place.
function result_file(folder, binary, network, cell, context) {
  const skipped = cell.skip?.(context) ?? null;
  const said = skipped !== null ? [skipped] : cell.steps(context).map(({argv, stop_after_s}) =>
    [...argv.map((word) => word.replaceAll(context.model, 'MODEL').replaceAll(context.hone, 'hone')), stop_after_s ?? '']);
  const key = createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 8);
  return path.join(folder, 'results', binary.slice(0, 12), network.sha256.slice(0, 12), `${cell.name.replace(' ', '-')}-${key}.json`);
}

const read_json = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);

function write_json(file, document) {
  fs.mkdirSync(path.dirname(file), {recursive: true});
  fs.writeFileSync(`${file}.part`, JSON.stringify(document, null, 1));
  fs.renameSync(`${file}.part`, file);
}

const bytes_of = ({path: file}) => (file !== null && fs.existsSync(file) ? fs.statSync(file).size : 0);

// What is wrong is seen early.
const smallest_first = (rows) => [...rows].sort((a, b) => bytes_of(a.network) - bytes_of(b.network));

const seconds_of = (record) => record.steps.reduce((sum, {seconds}) => sum + seconds, 0);

async function main() {
  const out = path.resolve(options.out ?? 'build/corpus');
  const binary_file = path.resolve(options.hone ?? 'build/bin/hone');
  if (!fs.existsSync(binary_file)) die(`there is no '${binary_file}'`, 'make build, or --hone FILE');
  fs.mkdirSync(out, {recursive: true});
  const unlock = lock(out);
  process.on('exit', unlock);
  const say = (text) => process.stderr.write(`corpus: ${text}\n`);
  const binary = sha256_of(binary_file);
  const accepted = accepted_reasons(path.join(here, 'accepted.tsv'));
  const networks = chosen(options.models ? own_networks(options.models) : shipped_networks(path.join(here, 'networks.tsv')), options.only, 'network');
  const columns = chosen(cells, spelled_out(options.cells), 'cell');
  const second = columns.some(({name}) => name === 'second') ? second_runtime(out, say) : null;
  const missing = fetch_all(networks, out, say);
  const progress = new Progress(columns, new Map(networks.map((network) => [network.id, bytes_of(network)])));
  let stopping = null;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (stopping !== null) end_running('SIGKILL');
      stopping = signal;
      end_running('SIGTERM');
    });
  }

  const rows = networks.map((network) => ({network, results: new Map()}));
  const summary = {version: execFileSync(binary_file, ['--version']).toString().trim(), rows, columns};
  for (const row of smallest_first(rows)) {
    const {network} = row;
    const context = {hone: binary_file, model: network.path, shapes: network.shapes, second, opset: 17, precision: 'fp32'};
    if (missing.has(network)) {
      const reason = missing.get(network);
      row.results.set(columns[0].name, {verdict: 'FAIL', reason, seconds: 0, record: {steps: []}});
      progress.skip(network.id, reason);
      continue;
    }
    const inspect = cells[0];
    for (const cell of [inspect, ...columns.filter((column) => column !== inspect)]) {
      const wanted = columns.includes(cell);
      const file = result_file(out, binary, network, cell, context);
      let record = read_json(file);
      const known = record !== null;
      if (!known && options.known) continue;
      if (!known) {
        if (wanted) progress.begin(network.id, cell.name);
        record = await run_cell(cell, context, path.join(out, 'work', `${network.id}-${cell.name.replace(' ', '-')}`));
        if (stopping !== null) break;
        write_json(file, record);
      }
      if (cell === inspect) {
        const facts = record.steps[0].facts;
        context.opset = facts?.opset ?? 17;
        context.precision = facts?.precision ?? 'fp32';
      }
      if (!wanted) continue;
      const result = {...judge(cell, record, context, accepted), seconds: seconds_of(record), record};
      row.results.set(cell.name, result);
      progress.end(network.id, cell.name, result, known);
    }
    // After every network, so that a long run can be read while it goes on.
    write_results(path.join(out, 'results.tsv'), summary, words_of);
    write_page(path.join(out, 'table.md'), summary);
    if (stopping !== null) break;
  }
  progress.close();

  if (stopping !== null) {
    fs.rmSync(path.join(out, 'work'), {recursive: true, force: true});
    say(`stopped by ${stopping}; what is done is kept, and the same command goes on`);
    unlock();
    process.removeAllListeners(stopping);
    process.kill(process.pid, stopping);
    return 1;
  }
  if (options.page) write_page(options.page, summary);
  return progress.summary(rows, path.relative(process.cwd(), out));
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Problem) die(error.message);
  throw error;
}
