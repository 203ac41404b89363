// The network on a hosted page: its letter, and the button to log in by the rules of its provider.
import { describe, expect, test } from 'vitest';
import { formPage } from '../../../../api/connect/form.ts';
import { tileOf } from '../../../../api/http/pages/marks.ts';
import { de } from '../../../../api/http/pages/texts/de.ts';
import { en, type Texts } from '../../../../api/http/pages/texts/en.ts';
import { createUnreachablePlatforms } from '../../../support/changes/published-row.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';

const platforms = createUnreachablePlatforms();

async function render(name: PlatformName, texts: Texts = en): Promise<string> {
  const platform = platforms.get(name)!;
  const { connect, definition } = platform;
  const method = connect.find(({ kind }) => kind === 'consent') ?? connect[0]!;
  const page = await formPage({
    platform,
    method,
    session: {
      id: 'cs_1',
      texts,
      network: definition.title,
      brand: { name: 'Acme', color: '#ff0000', logo: null },
      accountName: null,
      connected: [],
      returnUrl: null,
    },
    state: 's',
    values: {},
  });
  return (await page.text()).replaceAll(/\s+/g, ' ');
}

const buttonIn = (html: string) =>
  /<button[^>]*value="connect"[^>]*>(.*?)<\/button>/.exec(html)!.map((part) => part.trim());

describe('the button to log in', () => {
  test.each([
    ['youtube', 'Continue with Google', 'Weiter mit Google'],
    ['facebook', 'Continue with Facebook', 'Weiter mit Facebook'],
    ['tiktok', 'Continue with TikTok', 'Weiter mit TikTok'],
    ['pinterest', 'Continue', 'Weiter'],
  ] as const)('at %s says %s', async (name, english, german) => {
    expect(buttonIn(await render(name))[1]!.endsWith(english)).toBe(true);
    expect(buttonIn(await render(name, de))[1]!.endsWith(german)).toBe(true);
  });

  test("has Google's mark in its own colors, whatever the project's color", async () => {
    const [tag, content] = buttonIn(await render('youtube'));
    const fills = [...content!.matchAll(/fill="([^"]*)"/g)].map(([, fill]) => fill);
    expect(fills).toEqual(['#EA4335', '#4285F4', '#FBBC05', '#34A853']);
    expect(tag).not.toContain('first');
  });

  test('has no mark where the provider allows none', async () => {
    for (const name of ['facebook', 'tiktok', 'linkedin', 'mastodon'] as const) {
      expect(await render(name)).not.toContain('<svg');
    }
  });
});

test.each([
  ['Bluesky', 'B'],
  ['X', 'X'],
  ['ñandú', 'Ñ'],
  ['<b>', '&lt;'],
])('the tile of %s has the letter %s', async (network, letter) => {
  expect((await tileOf(network)).toString()).toContain(`aria-hidden="true">${letter}</div>`);
});
