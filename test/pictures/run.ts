// `npm run pictures`: takes the pictures of the docs from a running program with sample content.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { buildDashboard } from '../../api/dashboard/build.ts';
import { startChromium } from '../support/app/chromium.ts';
import { startProgram } from '../support/app/program.ts';
import { fillWithSample, followedCaption } from './sample.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const size = { width: 1_280, height: 860 };
const maxBytes = 120 * 1_024;

async function save(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  // The pointer changes the color of what it rests on.
  await page.mouse.move(size.width - 1, size.height - 1);
  const taken = await page.screenshot({ animations: 'disabled' });
  // The colors of these pages fit in a palette.
  const bytes = await sharp(taken)
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toBuffer();
  if (bytes.length > maxBytes) throw new Error(`${name}.png has ${bytes.length} bytes.`);
  await writeFile(`${folder}${name}.png`, bytes);
  console.log(`docs/pictures/${name}.png: ${bytes.length} bytes`);
}

await buildDashboard(pino({ level: 'warn' }), new AbortController().signal);
await mkdir(folder, { recursive: true });
await using program = startProgram();
const api = await program.waitForReady();
const [, signInUrl] = await program.waitForOutput(/Dashboard +(\S+)/);
const { postId } = await fillWithSample(api);
const browser = await startChromium();
try {
  const context = await browser.newContext({
    viewport: size,
    colorScheme: 'light',
    locale: 'en',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.goto(signInUrl!);
  await page.getByRole('link', { name: followedCaption }).first().waitFor();
  await page.getByText('Attempts fail.').waitFor();
  await page.getByRole('list', { name: 'Posts by day and outcome' }).waitFor();
  await save(page, 'home');
  await page.getByRole('link', { name: 'Calendar' }).click();
  await page.getByRole('button', { name: 'Next month' }).click();
  await page
    .getByRole('link', { name: /Doors open at seven/ })
    .first()
    .waitFor();
  await save(page, 'calendar');
  await page.goto(`${api.url}/dashboard/posts/${postId}`);
  await page.getByRole('list', { name: 'Media' }).waitFor();
  await page.getByText('Change the content, and publish it again.').waitFor();
  await save(page, 'post');
} finally {
  await browser.close();
}
