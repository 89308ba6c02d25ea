// The pages of searches and bundles in Chromium.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {leastContrast} from './contrast.mjs';
import {addressOf, desktop, folder, newContext, openAll, paper, phone, withPage} from './page.mjs';

const names = ['won', 'null', 'blocked', 'hostile', 'bundle', 'bundle-hostile'];

for (const name of names) {
  for (const [size, viewport] of Object.entries({phone, desktop})) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name} fits a ${size} and can be read, ${colorScheme}`, async () => {
        await withPage(name, {viewport, colorScheme}, async (page) => {
          await page.screenshot({
            path: join(folder, `${name}-${size}-${colorScheme}.png`),
            fullPage: true,
          });
          await openAll(page);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `${width} px wide on ${viewport.width}`);
          const least = await page.evaluate(leastContrast);
          assert.ok(least.count > 20, `only ${least.count} texts were looked at`);
          assert.ok(least.contrast >= 4.5, `${least.contrast} for '${least.text}'`);
        });
      });
    }
  }

  test(`${name} is the same on paper`, async () => {
    await withPage(name, {media: 'print', colorScheme: 'dark', viewport: paper}, async (page) => {
      await page.pdf({path: join(folder, `${name}.pdf`), preferCSSPageSize: true});
      await page.screenshot({path: join(folder, `${name}-paper.png`), fullPage: true});
      assert.equal(await page.locator('nav').isVisible(), false);
      const background = await page.evaluate(
        () => getComputedStyle(document.documentElement).backgroundColor);
      assert.equal(background, 'rgb(255, 255, 255)');
      const least = await page.evaluate(leastContrast);
      assert.ok(least.contrast >= 4.5, `${least.contrast} for '${least.text}'`);
      const folded = page.locator('details dd, details li').last();
      if (await folded.count()) assert.ok(await folded.isVisible(), 'what is folded is not printed');
    });
  });
}

test('the forest plot draws an interval for each compared arm, left of 1 for the faster', async () => {
  await withPage('won', {}, async (page) => {
    const rows = page.locator('.forest tbody tr');
    assert.equal(await rows.count(), 6);
    assert.equal(await page.locator('.forest line.interval').count(), 5);
    const boxes = await rows.evaluateAll((all) => all.map((row) => {
      const interval = row.querySelector('line.interval');
      const place = (element) => element.getBoundingClientRect();
      return interval && {
        left: place(interval).left, right: place(interval).right,
        one: place(row.querySelector('line.one')).left,
        marker: place(row.querySelector('.marker')),
      };
    }));
    const [best] = boxes;
    assert.ok(best.right < best.one, 'the interval of the fastest arm is not left of 1');
    assert.ok(best.right - best.left > 5, 'the interval has no width');
    const slowest = boxes.filter(Boolean).at(-1);
    assert.ok(slowest.left > slowest.one, 'the interval of the slower arm is not right of 1');
    assert.ok(best.marker.left < best.right && best.marker.right > best.left);
  });
});

test('every picture has a name, and every table a caption', async () => {
  await withPage('won', {}, async (page) => {
    const nameless = await page.evaluate(() => [...document.querySelectorAll('svg')].filter(
      (svg) => !svg.closest('[aria-hidden=true]') && !svg.closest('[aria-label]')).length);
    assert.equal(nameless, 0);
    const tables = await page.locator('table').count();
    assert.ok(tables >= 2);
    assert.equal(await page.locator('table > caption').count(), tables);
    assert.equal(await page.getByRole('heading', {level: 1}).count(), 1);
  });
});

test('a phone still has a table for those who listen', async () => {
  await withPage('won', {viewport: phone}, async (page) => {
    assert.equal(await page.getByRole('table').count(), 2);
    assert.ok(await page.getByRole('rowheader', {name: 'gelu-fusion'}).isVisible());
  });
});

test('the filter shows what matches, and all of it when it is empty', async () => {
  await withPage('won', {}, async (page) => {
    const ideas = page.locator('.ideas > li:visible');
    await page.getByLabel('Filter hypotheses and skips').fill('CPU-012 idea');
    assert.equal(await ideas.count(), 1);
    assert.match(await ideas.first().textContent(), /Idea 1/);
    assert.equal(await page.locator('#filter-count').textContent(), '1 of 38');
    await page.getByLabel('Filter hypotheses and skips').fill('');
    assert.equal(await ideas.count(), 38);
  });
});

for (const name of ['won', 'hostile']) {
  test(`the download of ${name} is the result`, async () => {
    await withPage(name, {}, async (page) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', {name: 'Download result.json'}).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'result.json');
      const data = JSON.parse(readFileSync(await download.path(), 'utf8'));
      assert.equal(data.schema_version, 1);
      assert.equal(data.arms.length, 15);
      const inside = await page.evaluate(() => document.getElementById('result-data').textContent);
      assert.deepEqual(data, JSON.parse(inside));
    });
  });
}

test('the recipe can be copied', async () => {
  await withPage('won', {permissions: ['clipboard-read', 'clipboard-write']}, async (page) => {
    await page.locator('[data-copy=recipe-json]').click();
    await page.getByRole('button', {name: /Copied/}).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(JSON.parse(copied).schema_version, 1);
  });
});

test('no text of a result runs', async () => {
  await withPage('hostile', {}, async (page) => {
    await openAll(page);
    await page.getByLabel('Filter hypotheses and skips').fill('attacked');
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 2);
    assert.match(await page.locator('h1').textContent(), /<script>window\.attacked=1<\/script>/);
  });
});

test('its policy stops a script that got in nevertheless', async () => {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(addressOf('won'));
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.attacked = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.attacked = 2">');
    return new Promise((done) => setTimeout(() => done(window.attacked), 200));
  });
  assert.equal(ran, undefined);
  await context.close();
});

test('everything can be read without JavaScript', async () => {
  await withPage('won', {javaScriptEnabled: false}, async (page) => {
    assert.match(await page.locator('.verdict').textContent(), /1\.56 times as fast/);
    assert.equal(await page.locator('#filter').isVisible(), false);
    assert.equal(await page.locator('button.copy:visible').count(), 0);
    const skips = page.locator('summary', {hasText: 'Skipped: 24 ideas'});
    const idea = page.locator('.ideas > li', {hasText: 'Idea 24'});
    assert.equal(await idea.isVisible(), false);
    await skips.click();
    assert.ok(await idea.isVisible());
  });
});
