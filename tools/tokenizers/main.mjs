// Published tokenizers with the published library and with hone, side by side: `parity`, whether all
// lines come to the same, and `speed`, how long they take on one thread. tools/tokenizers.sh starts it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { escaped, texts } from './texts.mjs';

const [, , mode, modules, program, ...only] = process.argv;
const work = path.resolve(modules, '..');
const linesFile = path.join(work, 'lines.txt');
fs.writeFileSync(linesFile, texts(modules).map((text) => `${escaped(text)}\n`).join(''));
const count = fs.readFileSync(linesFile, 'utf8').split('\n').length - 1;
const bytes = fs.statSync(linesFile).size;

const walk = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? walk(path.join(folder, entry.name)) : [path.join(folder, entry.name)]);
const packages = fs.readFileSync(path.join(import.meta.dirname, 'packages.txt'), 'utf8').split('\n')
  .filter((line) => line && !line.startsWith('#')).map((line) => line.replace(/(?<=.)@[^@/]*$/, ''));
const tokenizers = packages.flatMap((name) => walk(path.join(modules, name)))
  .filter((file) => path.basename(file) === 'tokenizer.json')
  .filter((file) => only.length === 0 || only.some((word) => file.includes(word)));

const environment = { ...process.env, TOKENIZERS_PARALLELISM: 'false', RAYON_NUM_THREADS: '1' };
const run = (command, args) =>
  execFileSync(command, args, { env: environment, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'] });
const reference = (file, ...more) =>
  run(process.execPath, [path.join(import.meta.dirname, 'one.mjs'), modules, file, linesFile, ...more]);
const ours = (file, ...more) => run(program, [file, linesFile, ...more]);

function compare(file) {
  const [wanted, made] = [reference(file), ours(file)].map((out) => out.toString('utf8').split('\n'));
  const differing = wanted.findIndex((line, i) => line !== made[i]);
  if (differing < 0 && wanted.length === made.length) return `${wanted.length - 1} answers, all equal`;
  const total = wanted.filter((line, i) => line !== made[i]).length;
  return `${total} of ${wanted.length - 1} answers differ; the first is number ${differing}:
    wanted ${wanted[differing]?.slice(0, 300)}\n    made   ${made[differing]?.slice(0, 300)}`;
}

function race(file) {
  const theirs = Number(reference(file, 'time'));
  const mine = Number(ours(file, 'time').toString().split(' ')[0]);
  const rate = (seconds) => `${(bytes / seconds / 1e6).toFixed(1)} MB/s`;
  return `published ${rate(theirs)}, hone ${rate(mine)}: ${(theirs / mine).toFixed(2)} times`;
}

console.log(`${count} lines, ${bytes} bytes`);
let isEqual = true;
for (const file of tokenizers) {
  const json = JSON.parse(fs.readFileSync(file, 'utf8'));
  const answer = mode === 'speed' ? race(file) : compare(file);
  isEqual &&= !answer.includes('differ');
  console.log(`${path.relative(modules, file)}  ${json.model.type}  ${answer}`);
}
process.exit(isEqual ? 0 : 1);
