// What each network allows after a publication: the capabilities of the account, and the requests, say the same.
import { describe, expect, test } from 'vitest';
import { platformDefinitions, type PlatformName } from '../../../../schema/platforms/index.ts';
import { readPage } from '../../../support/checks/readme.ts';
import { useRest } from '../../../support/app/rest.ts';
import {
  createUnreachablePlatforms,
  publishRow,
  type Published,
} from '../../../support/changes/published-row.ts';
import { useAuthor } from '../../../support/rows/posts.ts';

const rest = useRest({}, { platforms: createUnreachablePlatforms() });
const author = useAuthor(rest);
const publish = (platform: PlatformName, published?: Published) =>
  publishRow(rest, author, platform, published);

const networks = platformDefinitions.filter(({ name }) => name !== 'sandbox');
const titles = networks.map(({ name, title }) => [title, name] as const);

async function readCapabilities(accountId: string) {
  const path = `/v1/accounts/${accountId}/capabilities`;
  return (await rest.call('GET', path, { key: author.key })).body.data.after_publishing;
}

test('there are fifteen', () => expect(networks).toHaveLength(15));

describe.each(titles)('at %s', (_, name) => {
  test('a removal is accepted if the account supports it', async () => {
    const { accountId, unpublish } = await publish(name);
    const { unpublish: can, by_hand } = await readCapabilities(accountId);
    const { status, body } = await unpublish();
    expect(status).toBe(can.supported ? 202 : 409);
    if (!can.supported) {
      expect(body.error).toMatchObject({ code: 'not_supported_by_network', hint: by_hand });
    }
  });

  test('an edit is accepted for the fields of the account', async () => {
    const { accountId, edit } = await publish(name, { options: { title: 'a', board_id: '1' } });
    const { edit: can, by_hand } = await readCapabilities(accountId);
    const { status, body } = await edit({ caption: 'a' });
    expect(status).toBe(can.fields.includes('caption') ? 202 : 409);
    if (status === 409) {
      expect(body.error).toMatchObject({ code: 'not_supported_by_network', hint: by_hand });
    }
  });

  test('the table of networks has a source for each of both', () => {
    const { afterPublishing, title } = networks.find((network) => network.name === name)!;
    const { unpublish, edit } = afterPublishing!.sources;
    const row = readPage('docs/networks.md')
      .split('\n')
      .find((line) => line.startsWith('|') && line.split('|')[1]!.trim() === title)!;
    const cells = row.split('|').map((cell) => cell.trim());
    expect(cells[2]).toContain(`([source](${unpublish}))`);
    expect(cells[3]).toContain(`([source](${edit}))`);
    for (const url of [unpublish, edit]) expect(url).toMatch(/^https:\/\//);
    expect(cells[4]).toBe(afterPublishing!.byHand);
  });
});

describe('an account', () => {
  const youtubeScopes = ['upload', 'readonly'].map(
    (name) => `https://www.googleapis.com/auth/youtube.${name}`,
  );

  test.each<[PlatformName, string[], string]>([
    ['threads', ['threads_basic', 'threads_content_publish'], 'threads_delete'],
    ['youtube', youtubeScopes, 'https://www.googleapis.com/auth/youtube'],
  ])('whose login lacks a scope supports nothing that needs it: %s', async (name, scope, lacks) => {
    const { accountId, unpublish, edit } = await publish(name, { account: { scope } });
    const after = await readCapabilities(accountId);
    expect(after).toMatchObject({
      unpublish: { supported: false, scopes: [lacks] },
      edit: { fields: [] },
    });
    const refused = [
      await unpublish(),
      ...(name === 'youtube' ? [await edit({ caption: 'a' })] : []),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([409, 'conflict']);
      expect(body.error.message).toContain(lacks);
    }
    const all = await publish(name, { account: { scope: [...scope, lacks] } });
    expect((await readCapabilities(all.accountId)).unpublish.supported).toBe(true);
    expect((await all.unpublish()).status).toBe(202);
  });

  test('says how long a removal works', async () => {
    const { accountId } = await publish('telegram');
    expect(await readCapabilities(accountId)).toMatchObject({
      unpublish: { supported: true, within_s: 172_800 },
      edit: { fields: ['caption'], within_s: null },
    });
  });
});

describe('a post that the network excepts', () => {
  const refused = { status: 409, body: { error: { code: 'not_supported_by_network' } } };

  test.each<[string, PlatformName, Published]>([
    ['an album', 'telegram', { mediaCount: 2 }],
    ['a story', 'facebook', { mediaCount: 1, options: { placement: 'story' } }],
  ])('is not removed: %s of %s', async (_, name, published) => {
    const { accountId, unpublish } = await publish(name, published);
    expect(await unpublish()).toMatchObject(refused);
    expect((await readCapabilities(accountId)).unpublish.except).toHaveLength(1);
  });

  test.each<[string, PlatformName, Published]>([
    ['a post with a poll', 'mastodon', { options: { poll: { options: ['a'], expires_in: 600 } } }],
    ['a post with media', 'facebook', { mediaCount: 1 }],
    ['a post with media', 'slack', { mediaCount: 1 }],
    ['a post with blocks', 'slack', { options: { blocks: [{ type: 'divider' }] } }],
    ['a post with media', 'wordpress', { mediaCount: 1 }],
  ])('is not edited: %s of %s', async (_, name, published) => {
    const { accountId, edit } = await publish(name, published);
    expect(await edit({ caption: 'a' })).toMatchObject(refused);
    expect((await readCapabilities(accountId)).edit.except).not.toEqual([]);
  });
});
