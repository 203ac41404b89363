// What keeps people out of a page: on a phone in light colors, and on a desktop in dark ones.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, waitUntilLoaded } from './browser.ts';

/** Less than half of the source that the package exports, for each page to read. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const phone = { width: 360, height: 740 };

export const onPhone = { viewport: phone, colorScheme: 'light' } as const;
const onDesktop = { viewport: desktop, colorScheme: 'dark' } as const;

/** Nothing serious for axe, and nothing wider than the window. */
export async function expectNoBarriers(
  page: Page,
  looks: readonly (typeof onPhone | typeof onDesktop)[] = [onPhone, onDesktop],
): Promise<void> {
  await waitUntilLoaded(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  for (const { viewport, colorScheme } of looks) {
    const at = `${page.url()} ${colorScheme} ${viewport.width}`;
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    // The calendar measures itself again after a change of size.
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    await expect.poll(width, { message: at }).toBe(viewport.width);
    const { violations } = await page.evaluate<axe.AxeResults>(
      'axe.run({ resultTypes: ["violations"] })',
    );
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      grave.map(({ id, nodes }) => `${id} at ${nodes[0]!.html}`),
      at,
    ).toEqual([]);
  }
}
