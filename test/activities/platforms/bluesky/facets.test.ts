// Links, mentions and hashtags in a Bluesky post, where Bluesky's own app finds them.
import { expect, test } from 'vitest';
import { findFacets } from '../../../../activities/platforms/bluesky/facets.ts';

/** Nobody has a handle that begins with `no`. */
const resolve = (handle: string) =>
  Promise.resolve(handle.startsWith('no') ? null : `did:plc:${handle.split('.')[0]}`);

/** Each part of the text with what it leads to. */
async function readParts(text: string): Promise<Record<string, string>> {
  const bytes = Buffer.from(text);
  const facets = await findFacets(text, resolve);
  return Object.fromEntries(
    facets.map(({ index: { byteStart, byteEnd }, features: [feature] }) => {
      const { $type: _, ...target } = feature!;
      return [bytes.toString('utf8', byteStart, byteEnd), Object.values(target).join()];
    }),
  );
}

test.each<[string, Record<string, string>]>([
  ['no part', {}],
  [
    '@ann.example.com, (@bob.test) x@cat.com',
    { '@ann.example.com': 'did:plc:ann', '@bob.test': 'did:plc:bob' },
  ],
  ['@nobody.example.com @ann.invalid @ann', {}],
  ['ä https://example.com/ä?q=1.', { 'https://example.com/ä?q=1': 'https://example.com/ä?q=1' }],
  [
    '(https://a.com/b) https://a.com/(c)',
    { 'https://a.com/b': 'https://a.com/b', 'https://a.com/(c)': 'https://a.com/(c)' },
  ],
  ['a.co.uk/b, b.invalid C.COM httpbin.org', { 'a.co.uk/b': 'https://a.co.uk/b' }],
  ['https:///nowhere HTTPS://a.com', {}],
  [
    '#one,#two #＃three #4 #f4 #🎺! x#y',
    { '#one,#two': 'one,#two', '#＃three': '＃three', '#f4': 'f4', '#🎺': '🎺' },
  ],
  [`#${'é'.repeat(64)} #${'é'.repeat(65)}`, { [`#${'é'.repeat(64)}`]: 'é'.repeat(64) }],
  ['$acme, $toolong $1a ($B)', { $acme: '$ACME', $B: '$B' }],
])('%j', async (text, parts) => {
  expect(await readParts(text)).toEqual(parts);
});

test('facets are sorted by their position in the text', async () => {
  expect(Object.keys(await readParts('#tag a.com @ann.com'))).toEqual([
    '#tag',
    'a.com',
    '@ann.com',
  ]);
});
