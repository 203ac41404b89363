// Chromium for tests of pages.
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser } from 'playwright-core';

/** The package contains Chromium only for Linux on x64. */
export const hasChromium = process.platform === 'linux' && process.arch === 'x64';

export async function startChromium(...args: string[]): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args: ['--no-sandbox', ...args] });
}
