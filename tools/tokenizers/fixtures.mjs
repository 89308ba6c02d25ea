// Writes tests/fixtures/tokenizers: small tokenizers of our own, one for each kind, and what the
// published library makes of texts with them. Run where that library is installed:
//   npm install --ignore-scripts tokenizers@0.23.2 && node fixtures.mjs FOLDER_OF_NODE_MODULES
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(path.resolve(process.argv[2] ?? '.', 'package.json'));
const { Tokenizer } = require('tokenizers');
const out = path.resolve(import.meta.dirname, '../../tests/fixtures/tokenizers');

const added = (content, more = {}) => ({
  id: 0, content, single_word: false, lstrip: false, rstrip: false, normalized: false,
  special: true, ...more });
const vocabulary = (tokens) => Object.fromEntries(tokens.map((token, id) => [token, id]));
const letters = [...'abcdefghijklmnopqrstuvwxyz'];

function alphabet() {
  const codes = [];
  let next = 256;
  for (let byte = 0; byte < 256; ++byte) {
    const itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
    codes.push(String.fromCodePoint(itself ? byte : next++));
  }
  return codes;
}

function wordPiece() {
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...letters,
    ...letters.map((c) => '##' + c), 'hello', 'world', 'un', '##aff', '##able', 'the', '##ing',
    'token', '##iz', '##er', '你', '好', '!', ',', '.', "'", '-', '##s', 'cafe', 'istanbul', '1', '2'];
  const vocab = vocabulary(tokens);
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: tokens.slice(0, 5).map((t) => added(t)),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true,
      strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } }],
      pair: [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } },
        { SpecialToken: { id: '[SEP]', type_id: 1 } }],
      special_tokens: { '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] } } },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##',
      max_input_chars_per_word: 20, vocab } };
}

function bytePairs(options = {}) {
  const merges = ['h e', 'l l', 'he ll', 'hell o', 'Ġ w', 'o r', 'Ġw or', 'l d', 'Ġwor ld', 'Ã ©',
    'Ġ t', 'Ġt he', 'i n', 'in g', '1 2', 'ä ½', 'ä½ ł', 'Ġ Ġ', "' s"];
  const tokens = [...alphabet(), ...merges.map((m) => m.replace(' ', '')), 'extra', '<|end|>', '<mask>'];
  const mask = { lstrip: true };
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: [added('<|end|>'), added('<mask>', mask)],
    normalizer: options.normalizer ?? null, pre_tokenizer: options.pre_tokenizer ??
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: options.post_processor ??
      { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: '',
      end_of_word_suffix: '', fuse_unk: false, byte_fallback: false,
      ignore_merges: options.ignore_merges ?? false, vocab: vocabulary(tokens), merges } };
}

function piecePairs() {
  const bytes = [...Array(256).keys()].map((b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`);
  const merges = ['▁ h', 'e l', 'l o', '▁h el', '▁hel lo', '▁ w', 'o r', '▁w or', '▁ ▁', '▁▁ ▁▁', 'l d'];
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, '▁', ...letters, ',', '.', 'é',
    ...new Set(merges.map((m) => m.replace(' ', '')))];
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: tokens.slice(0, 3).map((t) => added(t)),
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' }] },
    pre_tokenizer: null,
    post_processor: { type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '<s>', type_id: 1 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } } },
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' }, { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
    model: { type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null,
      end_of_word_suffix: null, fuse_unk: true, byte_fallback: true, ignore_merges: false,
      vocab: vocabulary(tokens), merges } };
}

function unigram() {
  const pieces = [['<unk>', 0], ['<s>', 0], ['</s>', 0], ['▁', -3.5], ...letters.map((c, i) => [c, -6 - i / 10]),
    ['▁hello', -4.25], ['▁wor', -5.5], ['ld', -5], ['▁world', -7.75], ['▁to', -4], ['ken', -5.25], ['iz', -5.5],
    ['▁token', -6.5], ['er', -4.5], ['s', -4.75], ['ing', -5], ['你', -9], ['好', -9.5], ['你好', -10], ['.', -4],
    [',', -4], ['▁a', -4.5], ['▁ab', -6], ['bc', -6.25]];
  const id = (token) => pieces.findIndex(([piece]) => piece === token);
  return {
    version: '1.0', truncation: null, padding: null,
    added_tokens: ['<s>', '</s>'].map((t) => added(t)).concat(added('<new>', { special: false, normalized: true, rstrip: true })),
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Nmt' }, { type: 'NFKC' },
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' }] },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    post_processor: { type: 'RobertaProcessing', sep: ['</s>', id('</s>')], cls: ['<s>', id('<s>')],
      trim_offsets: true, add_prefix_space: true },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 0, vocab: pieces, byte_fallback: false } };
}

function wordLevel() {
  const tokens = ['[UNK]', 'hello', 'world', '<num>', 'straße', ',', '!', 'Привет', 'мир', '3', '4'];
  return {
    version: '1.0', truncation: { direction: 'Right', max_length: 8, strategy: 'LongestFirst', stride: 1 },
    padding: { strategy: { Fixed: 9 }, direction: 'Left', pad_to_multiple_of: 4, pad_id: 0, pad_type_id: 0, pad_token: '[UNK]' },
    added_tokens: [added('<num>', { single_word: true })],
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Strip', strip_left: true, strip_right: true }, { type: 'NFD' }, { type: 'StripAccents' }] },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Whitespace' }, { type: 'Digits', individual_digits: true },
      { type: 'Punctuation', behavior: 'Contiguous' }] },
    post_processor: { type: 'BertProcessing', sep: ['!', 6], cls: [',', 5] }, decoder: null,
    model: { type: 'WordLevel', vocab: vocabulary(tokens), unk_token: '[UNK]' } };
}

const split = (Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false });
const modern = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const kinds = {
  'word-piece': wordPiece(),
  'byte-pairs': bytePairs(),
  'byte-pairs-modern': bytePairs({ ignore_merges: true, normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split(modern),
      { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: false }] } }),
  'byte-pairs-scripts': bytePairs({ normalizer: { type: 'Sequence', normalizers: [{ type: 'Lowercase' }, { type: 'NFKD' }] },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'UnicodeScripts' },
      { type: 'CharDelimiterSplit', delimiter: '_' }, { type: 'FixedLength', length: 6 },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }] },
    post_processor: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true } }),
  'piece-pairs': piecePairs(),
  unigram: unigram(),
  'word-level': wordLevel(),
};

const texts = ['', ' ', 'hello world', 'Hello, WORLD! 12 tokens', '  leading and  trailing  ',
  "don't it's WE'LL they'Re 'ſ", 'unaffable tokenizers', 'café cafe\u0301 Ångström', 'İstanbul straße',
  '你好世界 hello 你 好', 'Привет, мир', 'שָׁלוֹם عَلَيْكُم', 'สวัสดีครับ', 'नमस्ते क्षत्रिय', '각 각', '👩🏽‍🚀 👨‍👩‍👧 🇩🇪 ❤️',
  'ﬁ ½ ² Ⅳ ＡＢＣ', 'tab\tline\nline\r\n\r\n end', 'x\u0000y\u0001\u007f\u00a0z\u3000\u200b\ufeff', 'a_b__c',
  '<s>hello</s> [CLS]x[SEP] <mask> a<mask> <|end|>', ' <new>  hello<new>', '<num> a<num> <num>b 34', 'abc abcd',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '    hello    world', 'ab'.repeat(40), '1234567 89', '\ufffd'];

// Windows of windows are left out: there the library repeats what stands beside them.
const describe = (encoding, isWindow = false) => ({
  ids: encoding.getIds(), offsets: encoding.getOffsets(),
  words: encoding.getWordIds().map((word) => word ?? -1), types: encoding.getTypeIds(),
  attention: encoding.getAttentionMask(), special: encoding.getSpecialTokensMask(),
  ...(isWindow ? {} : { overflowing: encoding.getOverflowing().map((w) => describe(w, true)) }) });

for (const [name, json] of Object.entries(kinds)) {
  const folder = path.join(out, name);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(json) + '\n');
  const tokenizer = Tokenizer.fromFile(path.join(folder, 'tokenizer.json'));
  const cases = [];
  for (const [i, text] of texts.entries()) {
    const one = await tokenizer.encode(text);
    cases.push({ text, decoded: await tokenizer.decode(one.getIds(), true),
      decoded_all: await tokenizer.decode(one.getIds(), false), ...describe(one) });
    const pair = texts[(i * 5 + 2) % texts.length];
    cases.push({ text, pair, ...describe(await tokenizer.encode(text, pair)) });
    cases.push({ text, plain: true, ...describe(await tokenizer.encode(text, null, { addSpecialTokens: false })) });
  }
  fs.writeFileSync(path.join(folder, 'expected.json'), '[\n' + cases.map((c) => JSON.stringify(c)).join(',\n') + '\n]\n');
}
