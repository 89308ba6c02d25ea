// Data of the networks: rows made of what packages hold, as `hone eval` reads them. What calibrates is never
// among what judges.
import fs from 'node:fs';
import path from 'node:path';
import {deflateSync, crc32} from 'node:zlib';
import {fetch_package} from './sources.mjs';

const read_json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

function write_rows(folder, name, rows) {
  fs.mkdirSync(folder, {recursive: true});
  fs.writeFileSync(path.join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

// The first so many judge, and the last 32 calibrate.
function write_texts(folder, rows, count) {
  if (rows.length < count + 32) throw new Error(`${folder}: there are ${rows.length} rows`);
  write_rows(folder, 'test', rows.slice(0, count));
  write_rows(folder, 'calibration', rows.slice(-32));
}

// One of each list in turn, so that neither split is of one alone.
function interleaved(lists) {
  const rows = [];
  for (let at = 0; lists.some((list) => at < list.length); ++at) {
    for (const list of lists) if (at < list.length) rows.push(list[at]);
  }
  return rows;
}

function sentiment(folder, out) {
  const fixtures = path.join(fetch_package('sentiment', out), 'test/fixtures');
  const lists = ['amazon', 'imdb', 'yelp'].map((name) => read_json(path.join(fixtures, `${name}.json`))
    .filter((row) => row?.text != null).map((row) => ({text: row.text, label: `${row.class}`})));
  write_texts(folder, interleaved(lists), 1500);
}

function imdb(folder, out) {
  const reviews = read_json(path.join(fetch_package('imdb', out), 'reviews.json'));
  const of = (class_of) => reviews.filter(({s}) => s === class_of).map(({t, s}) => ({text: t, label: `${s}`}));
  write_texts(folder, interleaved([of(0), of(1)]).slice(0, 432), 400);
}

// Articles of one topic, of the six that are most.
function reuters(folder, out) {
  const full = path.join(fetch_package('reuters', out), 'data/full');
  const topics = ['earn', 'acq', 'crude', 'trade', 'interest', 'ship'];
  const articles = fs.readdirSync(full).sort().flatMap((file) => read_json(path.join(full, file)))
    .filter((article) => article.body && article.topics?.length === 1);
  const lists = topics.map((topic) => articles.filter((article) => article.topics[0] === topic).slice(0, 80)
    .map((article) => ({text: `${article.title}. ${article.body}`, label: topic})));
  write_texts(folder, interleaved(lists), 400);
}

const examples = (out) => path.join(fetch_package('labelme', out), 'usr/share/doc/labelme-examples/examples/instance_segmentation');
const faces_of = (out) => path.join(fetch_package('dlib', out), 'usr/share/doc/libdlib19.1/examples/faces');

// Twelve pictures of people, of which nobody says anything.
function face_rows(out) {
  const folder = faces_of(out);
  return fs.readdirSync(folder).filter((file) => file.endsWith('.jpg')).sort()
    .map((file) => ({image: path.join(folder, file), label: 0}));
}

function voc(folder, out) {
  const from = path.join(examples(out), 'data_dataset_coco');
  fs.mkdirSync(folder, {recursive: true});
  fs.cpSync(path.join(from, 'JPEGImages'), path.join(folder, 'JPEGImages'), {recursive: true});
  fs.copyFileSync(path.join(from, 'annotations.json'), path.join(folder, 'test.json'));
  write_rows(folder, 'calibration', face_rows(out).map(({image}) => ({image, objects: []})));
}

// A PNG of one byte a pixel.
function grey_png(width, height, pixels) {
  const chunk = (kind, body) => {
    const named = Buffer.concat([Buffer.from(kind), body]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; ++y) pixels.copy(lines, y * (width + 1) + 1, y * width, (y + 1) * width);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0))]);
}

// Whatever is in front of what: the mask of VOC's objects, 255 where VOC does not say.
function foreground(folder, out) {
  const from = path.join(examples(out), 'data_dataset_voc');
  fs.mkdirSync(path.join(folder, 'masks'), {recursive: true});
  const rows = [];
  for (const file of fs.readdirSync(path.join(from, 'SegmentationClass')).sort()) {
    const array = fs.readFileSync(path.join(from, 'SegmentationClass', file));
    const begin = 10 + array.readUInt16LE(8);
    const [height, width] = array.toString('latin1', 10, begin).match(/\((\d+), (\d+)\)/).slice(1).map(Number);
    const pixels = Buffer.alloc(width * height);
    for (let i = 0; i < pixels.length; ++i) {
      const kind = array.readInt32LE(begin + 4 * i);
      pixels[i] = kind < 0 || kind === 255 ? 255 : Math.min(kind, 1);
    }
    const name = path.basename(file, '.npy');
    fs.writeFileSync(path.join(folder, 'masks', `${name}.png`), grey_png(width, height, pixels));
    rows.push({image: path.join(from, 'JPEGImages', `${name}.jpg`), mask: `masks/${name}.png`});
  }
  write_rows(folder, 'test', rows);
  write_rows(folder, 'calibration', face_rows(out).map(({image}) => ({image, mask: rows[0].mask})));
}

function faces(folder, out) {
  const rows = face_rows(out);
  write_rows(folder, 'test', rows.slice(0, 6));
  write_rows(folder, 'calibration', rows.slice(6));
}

// Data that hone makes: one seed judges, and another calibrates.
const made = (kind, count, calibration) => (folder, out, hone) => {
  hone(['eval', '--make-data', kind, '-o', path.join(folder, 'test'), '--count', count, '--seed', 0]);
  hone(['eval', '--make-data', kind, '-o', path.join(folder, 'calibration'), '--count', calibration, '--seed', 1]);
};

const makers = {sentiment, imdb, reuters, voc, foreground, faces, lines: made('text-lines', 300, 32), speech: made('speech', 80, 2)};

// The folder of the data; `hone` runs the program.
export function make_data(name, out, hone) {
  const folder = path.join(out, 'data', name);
  if (fs.existsSync(path.join(folder, '.whole'))) return folder;
  process.stderr.write(`tasks: making ${name}\n`);
  fs.rmSync(folder, {recursive: true, force: true});
  makers[name](folder, out, hone);
  fs.writeFileSync(path.join(folder, '.whole'), '');
  return folder;
}
