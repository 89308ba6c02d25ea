// A page in Chromium, held to what is true of every page. The pages are written by write_pages.cpp.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(process.env.HONE_DRIVER)('playwright-core');
export const folder = process.env.HONE_PAGES;
export const phone = {width: 360, height: 740};
export const desktop = {width: 1280, height: 900};
export const paper = {width: 680, height: 960};  // A4 less its margins

let browser;
before(async () => {
  browser = await chromium.launch({executablePath: process.env.CHROMIUM});
});
after(async () => {
  await browser.close();
});

export const newContext = (options) => browser.newContext(options);
export const addressOf = (name) => pathToFileURL(join(folder, `${name}.html`)).href;

// Opens a page, hands it to `look`, and sees that it logs no error and asks for nothing but itself.
export const withPage = async (name, options, look) => {
  const {media, ...rest} = options;
  const context = await newContext({viewport: desktop, ...rest});
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('request', (request) => requests.push(request.url()));
  const address = addressOf(name);
  await page.emulateMedia({media: media ?? 'screen'});
  await page.goto(address);
  await look(page);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => url !== address && !url.startsWith('blob:')), []);
  await context.close();
};

export const openAll = (page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
