// The pages of sweeps in Chromium.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';

import {leastContrast} from './contrast.mjs';
import {desktop, folder, openAll, paper, phone, withPage} from './page.mjs';

const cellsShown = (page) => page.locator('a[data-cell]:visible').count();

for (const name of ['sweep', 'sweep-hostile', 'sweep-wide']) {
  for (const [size, viewport] of Object.entries({phone, desktop})) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name} fits a ${size} and can be read, ${colorScheme}`, async () => {
        await withPage(name, {viewport, colorScheme}, async (page) => {
          await page.screenshot({path: join(folder, `${name}-${size}-${colorScheme}.png`)});
          if (name !== 'sweep-wide') await openAll(page);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= viewport.width, `${width} px wide on ${viewport.width}`);
          const least = await page.evaluate(leastContrast);
          assert.ok(least.count > 20, `only ${least.count} texts were looked at`);
          assert.ok(least.contrast >= 4.5, `${least.contrast} for '${least.text}'`);
        });
      });
    }
  }
}

test('a sweep is the same on paper, with the details of its cells', async () => {
  await withPage('sweep', {media: 'print', colorScheme: 'dark', viewport: paper}, async (page) => {
    await page.pdf({path: join(folder, 'sweep.pdf'), preferCSSPageSize: true});
    await page.screenshot({path: join(folder, 'sweep-paper.png'), fullPage: true});
    assert.equal(await page.locator('nav').isVisible(), false);
    assert.equal(await page.locator('#filter').isVisible(), false);
    assert.ok(await page.locator('.log').first().isVisible(), 'what is folded is not printed');
    const background = await page.evaluate(
      () => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(background, 'rgb(255, 255, 255)');
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= paper.width, `${width} px wide on ${paper.width}`);
    const least = await page.evaluate(leastContrast);
    assert.ok(least.contrast >= 4.5, `${least.contrast} for '${least.text}'`);
  });
});

for (const [size, viewport] of Object.entries({phone, desktop})) {
  test(`models and targets stay while a wide matrix is scrolled on a ${size}`, async () => {
    await withPage('sweep-wide', {viewport}, async (page) => {
      const matrix = page.locator('.scroll');
      const name = page.locator('.matrix tbody th').nth(20);
      await matrix.evaluate((element) => { element.scrollTo(900, 600); });
      const boxes = {
        matrix: await matrix.boundingBox(),
        name: await name.boundingBox(),
        label: await page.locator('.matrix thead th').nth(8).boundingBox(),
      };
      assert.ok(await matrix.evaluate((element) => element.scrollLeft) > 300);
      assert.ok(Math.abs(boxes.name.x - boxes.matrix.x) < 2, 'the model is scrolled away');
      assert.ok(Math.abs(boxes.label.y - boxes.matrix.y) < 2, 'the target is scrolled away');
      assert.ok(boxes.name.width < viewport.width / 2, 'the models leave no room for the cells');
    });
  });
}

test('filters show the cells that match them all, and everything again', async () => {
  await withPage('sweep', {}, async (page) => {
    const count = page.locator('#filter-count');
    assert.equal(await cellsShown(page), 9);
    await page.getByLabel('Status').selectOption('failed');
    assert.equal(await cellsShown(page), 3);
    await page.getByLabel('Failure').selectOption('oom');
    assert.equal(await count.textContent(), '2 of 9 cells');
    assert.equal(await page.locator('.matrix tbody tr:visible').count(), 2);
    assert.equal(await page.locator('.matrix thead th:visible').count(), 3, 'a column is empty');
    assert.equal(await page.locator('details.cell:visible').count(), 2);
    await page.getByLabel('Target').selectOption('qnn-npu');
    assert.equal(await count.textContent(), '1 of 9 cells');
    await page.getByRole('button', {name: 'Show all'}).click();
    assert.equal(await cellsShown(page), 9);
    await page.getByLabel('Published').selectOption('uploaded');
    assert.equal(await cellsShown(page), 1);
    await page.getByRole('button', {name: 'Show all'}).click();
    await page.getByLabel('Text').fill('WHISPER memory');
    assert.equal(await cellsShown(page), 2);
    await page.getByLabel('Text').fill('nothing has this');
    assert.equal(await count.textContent(), '0 of 9 cells');
    assert.equal(await page.locator('.matrix thead th:visible').count(), 1);
  });
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';
  test(`a cell of the matrix opens its details ${how} JavaScript`, async () => {
    await withPage('sweep', {javaScriptEnabled, viewport: phone}, async (page) => {
      const details = page.locator('#cell-3');
      assert.equal(await details.isVisible(), false);
      await page.locator('a[data-cell=cell-3]').click();
      await details.waitFor({state: 'visible'});
      const text = await details.textContent();
      assert.match(text, /oom in build: the worker ended with signal 9/);
      assert.match(text, /out of memory/);
      assert.equal(await page.locator('details.cell[open]').count(), 1);
      assert.equal(await page.locator('#filter').isVisible(), javaScriptEnabled);
    });
  });
}

test('an address with a cell in it opens that cell', async () => {
  await withPage('sweep', {}, async (page) => {
    await page.evaluate(() => { location.hash = '#cell-0'; });
    await page.locator('#cell-0').waitFor({state: 'visible'});
    assert.match(await page.locator('#cell-0').textContent(), /registry\.example\/models:bert/);
  });
});

test('every table has a caption, and every field a name', async () => {
  await withPage('sweep', {}, async (page) => {
    const tables = await page.locator('table').count();
    assert.ok(tables >= 2);
    assert.equal(await page.locator('table > caption').count(), tables);
    assert.equal(await page.getByRole('heading', {level: 1}).count(), 1);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('input, select')].filter((field) => !field.labels.length).length);
    assert.equal(nameless, 0);
  });
});

test('no text of a sweep runs', async () => {
  await withPage('sweep-hostile', {}, async (page) => {
    await openAll(page);
    await page.getByLabel('Text').fill('onerror');
    assert.equal(await cellsShown(page), 9);
    await page.getByLabel('Target').selectOption({index: 1});
    assert.equal(await cellsShown(page), 3);
    await page.locator('a[data-cell]:visible').first().click();
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('script').count(), 1);
  });
});
