// What the published library makes of lines, in the form of benches/tokenizer_lines.cpp:
//   one.mjs NODE_MODULES TOKENIZER LINES [time]
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const [, , modules, file, linesFile, mode] = process.argv;
const { Tokenizer } = createRequire(path.join(modules, 'x.js'))('tokenizers');
const tokenizer = Tokenizer.fromFile(file);
const unescaped = (line) => line.replace(/\\(.)/gs, (_, c) => (c === 'n' ? '\n' : c === 'r' ? '\r' : c));
const texts = fs.readFileSync(linesFile, 'utf8').split('\n').slice(0, -1).map(unescaped);

const list = (items) => items.map((item) => `${item} `).join('');
// Windows of windows are left out: there the library repeats what stands beside them.
function describe(encoding, isWindow = false) {
  const columns = [list(encoding.getIds()), list(encoding.getOffsets().map((o) => `${o[0]},${o[1]}`)),
    list(encoding.getWordIds().map((word) => word ?? '-')), encoding.getTypeIds().join('')];
  return `${columns.join('|')}\n${isWindow ? '' : encoding.getOverflowing().map((w) => `+${describe(w, true)}`).join('')}`;
}
async function attempt(...input) {
  try {
    return await tokenizer.encode(...input);
  } catch {
    return null;
  }
}

if (mode === 'time') {
  let best = Infinity;
  for (let round = 0; round < 3; ++round) {
    const begin = performance.now();
    await tokenizer.encodeBatch(texts);
    best = Math.min(best, (performance.now() - begin) / 1000);
  }
  console.log(best.toFixed(6));
} else {
  let out = '';
  for (const [i, text] of texts.entries()) {
    const encoding = await attempt(text);
    out += encoding ? describe(encoding) : 'error\n';
    if (i % 97 === 0) {
      const pair = await attempt(text, texts[(i * 7 + 3) % texts.length]);
      out += pair ? describe(pair) : 'error\n';
    }
    if (i % 31 === 0 && encoding) {
      out += `d ${(await tokenizer.decode(encoding.getIds(), i % 2 === 0)).replaceAll('\n', '\\n')}\n`;
    }
  }
  process.stdout.write(out);
}
