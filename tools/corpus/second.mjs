// A second opinion: runs a model and what was made of it with another ONNX Runtime, on the same inputs.
//   node second.mjs FOLDER INPUTS.json SHAPES MODEL OTHER...
// FOLDER holds node_modules/onnxruntime-node. INPUTS.json: [{name, type, shape}], as `hone inspect` has them: a
// dimension is a number, a symbol, or null. SHAPES as --shape-config has them, or nothing. Prints one JSON document:
// {runtime, unavailable, models: [{model, error, outputs: [{output, psnr_db, max_abs}]}]}. `unavailable` says
// why this runtime, or these inputs, cannot judge the model itself. It may crash instead: stderr then says whether
// the model itself ran.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [folder, inputs_file, shapes, model, ...others] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(folder), 'none.js'));
const ort = require('onnxruntime-node');
const runtime = `onnxruntime-node ${require('onnxruntime-node/package.json').version}`;

// Mulberry32: the same numbers each time.
let state = 1;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

// Small integers are inside of every table; masks are ones; a sampling rate is one.
function whole_number(name) {
  if (/mask/.test(name)) return 1;
  if (name === 'sr') return 16000;
  return Math.floor(random() * 10);
}

const makers = {
  float: (n) => ['float32', Float32Array.from({length: n}, () => random() - 0.5)],
  float16: (n) => ['float16', Uint16Array.from({length: n}, () => 0x3800 + Math.floor(random() * 0x400))],
  double: (n) => ['float64', Float64Array.from({length: n}, () => random() - 0.5)],
  int64: (n, name) => ['int64', BigInt64Array.from({length: n}, () => BigInt(whole_number(name)))],
  int32: (n, name) => ['int32', Int32Array.from({length: n}, () => whole_number(name))],
  uint8: (n) => ['uint8', Uint8Array.from({length: n}, () => Math.floor(random() * 256))],
  bool: (n) => ['bool', new Uint8Array(n)],
};

// What an open dimension is tried with; the first that the model runs with is used. Batches are 1.
const open_sizes = [320, 32, 16, 1, 48, 512, 1000];

// `seq=128,x=1x3x48x320`: sizes of symbols, and whole shapes of inputs.
const said = new Map(shapes.split(',').filter((part) => part !== '').map((part) => {
  const at = part.lastIndexOf('=');
  return [part.slice(0, at), part.slice(at + 1).split('x').map(Number)];
}));

function size_of(dimension, axis, open) {
  if (Number.isInteger(dimension) && dimension >= 0) return dimension;
  if (said.has(dimension)) return said.get(dimension)[0];
  if (axis === 0 || /batch/i.test(String(dimension))) return 1;
  const sum = String(dimension).split(' + ');
  return sum.length === 1 ? open : sum.reduce((total, part) => total + size_of(part, 1, open), 0);
}

function tensor_of({name, type, shape}, open) {
  if (makers[type] === undefined) throw new Error(`no inputs of type ${type}`);
  const sizes = said.get(name) ?? (shape ?? []).map((dimension, axis) => size_of(dimension, axis, open));
  const [word, data] = makers[type](sizes.reduce((a, b) => a * b, 1), name);
  return new ort.Tensor(word, data, sizes);
}

const half = (bits) => {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24
    : exponent === 31 ? (fraction === 0 ? Infinity : NaN) : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
};

const numbers = (tensor) =>
  tensor.type === 'float16' ? Array.from(tensor.data, half) : Array.from(tensor.data, Number);

// Peak to mean square of the difference, as `hone eval` has it; null where there is no difference.
function difference(reference, other) {
  if (reference.length !== other.length) throw new Error(`another number of elements: ${other.length}, not ${reference.length}`);
  let peak = 0;
  let square = 0;
  let max_abs = 0;
  reference.forEach((value, at) => {
    if (Object.is(value, other[at]) || (Number.isNaN(value) && Number.isNaN(other[at]))) return;
    const gap = Math.abs(value - other[at]);
    square += gap * gap;
    max_abs = Math.max(max_abs, gap);
  });
  for (const value of reference) if (Number.isFinite(value)) peak = Math.max(peak, Math.abs(value));
  if (square === 0) return {psnr_db: null, max_abs: 0};
  if (!Number.isFinite(square)) return {psnr_db: -999, max_abs: null};
  return {psnr_db: peak === 0 ? -999 : 10 * Math.log10(peak * peak * reference.length / square), max_abs};
}

const open = (file) => ort.InferenceSession.create(file, {logSeverityLevel: 4});

// Inputs that the model runs with, and what it makes of them.
async function first_run(file, inputs) {
  const session = await open(file);
  let reason;
  for (const size of open_sizes) {
    state = 1;
    const feeds = Object.fromEntries(inputs.map((input) => [input.name, tensor_of(input, size)]));
    try {
      return [feeds, await outputs_of(session, feeds)];
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason;
}

async function outputs_of(session, feeds) {
  const outputs = await session.run(feeds);
  return new Map(Object.entries(outputs).map(([name, tensor]) => [name, numbers(tensor)]));
}

const result = {runtime, unavailable: null, models: []};
try {
  const [feeds, expected] = await first_run(model, JSON.parse(fs.readFileSync(inputs_file)));
  process.stderr.write(`${runtime} runs the original\n`);
  for (const other of others) {
    const entry = {model: path.basename(other), error: null, outputs: []};
    try {
      const found = await outputs_of(await open(other), feeds);
      for (const [name, values] of expected) {
        if (!found.has(name)) throw new Error(`output '${name}' is missing`);
        entry.outputs.push({output: name, ...difference(values, found.get(name))});
      }
    } catch (error) {
      entry.error = error.message.split('\n')[0];
    }
    result.models.push(entry);
  }
} catch (error) {
  result.unavailable = error.message.split('\n')[0];
}
console.log(JSON.stringify(result));
