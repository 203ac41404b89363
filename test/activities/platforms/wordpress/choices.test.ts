// The choices of a WordPress site: its categories and tags, as a post can name them.
import { describe, expect, test } from 'vitest';
import { readAllChoices } from '../../../../activities/platforms/choices.ts';
import { createWordPress } from '../../../../activities/platforms/wordpress/index.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { listChoices } from '../../../support/networks/connection.ts';
import { startConnected } from '../../../support/networks/wordpress/connected.ts';

type Network = Awaited<ReturnType<typeof startConnected>>;

const list = ({ wordpress, connection }: Network, kind: 'category' | 'tag') =>
  listChoices(wordpress, connection, kind);

const idsOf = ({ choices }: Awaited<ReturnType<typeof list>>) => choices.map(({ id }) => id);

describe('categories', () => {
  test('are listed by name, below their parents', async () => {
    await using network = await startConnected();
    network.site.categories.push('R&amp;D', 'Brass');
    network.site.parents.set(3, 2);
    expect(await list(network, 'category')).toEqual({
      isComplete: true,
      choices: [
        {
          id: 'Brass',
          name: 'Brass',
          description: null,
          url: 'http://site.test/categories/3/',
          imageUrl: null,
          parentId: 'R&D',
          disabledReason: null,
        },
        expect.objectContaining({ id: 'R&D', parentId: null }),
        expect.objectContaining({ id: 'Uncategorized' }),
      ],
    });
  });

  test('have IDs that a post can send', async () => {
    await using network = await startConnected();
    network.site.categories.push('R&amp;D');
    const ids = idsOf(await list(network, 'category'));
    const { categories } = await network.publish('a', { categories: ids });
    expect(new Set(categories)).toEqual(new Set([1, 2]));
  });

  test('can be seen, but not chosen, if their names have markup', async () => {
    await using network = await startConnected();
    network.site.categories.push('a &lt;b&gt;', 'c & d');
    const { choices } = await list(network, 'category');
    const disabled = choices.filter(({ disabledReason }) => disabledReason !== null);
    expect(disabled.map(({ name }) => name)).toEqual(['a <b>', 'c & d']);
  });

  test('are one choice if they have the same name', async () => {
    await using network = await startConnected();
    network.site.categories.push('News', 'News');
    expect(idsOf(await list(network, 'category'))).toEqual(['News', 'Uncategorized']);
  });

  test('are read to the end, a hundred at a time', async () => {
    await using network = await startConnected();
    for (let i = 1; i < 250; i++) network.site.categories.push(`Category ${i}`);
    network.site.calls.length = 0;
    const { choices, isComplete } = await list(network, 'category');
    expect([choices.length, isComplete]).toEqual([250, true]);
    expect(network.site.calls).toEqual([
      'GET wp/v2/users/me',
      'GET wp/v2/categories',
      'GET wp/v2/categories',
      'GET wp/v2/categories',
    ]);
  });
});

describe('tags', () => {
  test('are listed with the most used ones first', async () => {
    await using network = await startConnected();
    network.site.tags.push('brass', 'wind');
    await network.publish('a', { tags: ['wind'] });
    expect(idsOf(await list(network, 'tag'))).toEqual(['wind', 'brass']);
  });

  test('are cut if the site has very many', async () => {
    await using network = await startConnected();
    for (let i = 0; i < 2_100; i++) network.site.tags.push(`tag ${i}`);
    const { choices, isComplete } = await list(network, 'tag');
    expect([choices.length, isComplete]).toEqual([2_000, false]);
  });
});

test('a page with more terms than were asked for is refused', async () => {
  const terms = Array.from({ length: 101 }, (_, i) => ({ id: i + 1, name: `Category ${i}` }));
  const { choices } = createWordPress({
    fetch: async (url) => Response.json(url.includes('users') ? { id: 1 } : terms),
  });
  const credentials = { api: 'https://site.test/?rest_route=/' };
  const account = { credentials, app: null, externalAccountId: '1@site.test', traits: {} };
  const asked = readAllChoices(choices!['category']!, account, AbortSignal.timeout(1_000));
  expect(await refusal(asked)).toMatchObject({ kind: 'unavailable' });
});

test('a deleted password ends the access, although everyone can read terms', async () => {
  await using network = await startConnected();
  network.site.revokeToken();
  expect(await refusal(list(network, 'category'))).toMatchObject({
    kind: 'reauthorize',
    options: { isRevoked: true },
  });
});
