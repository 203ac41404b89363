// The defaults of an account in its posts: copied when a post leaves draft, key by key.
import { beforeEach, describe, expect, test } from 'vitest';
import { connectPlatforms, createPlatforms } from '../../../activities/platforms/index.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { setChanged } from '../../../schema/database/posts/after-publishing/result-changes.ts';
import { findTarget, optionsOf } from '../../../schema/database/posts/targets.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { useRest } from '../../support/app/rest.ts';
import { inSeconds } from '../../support/rows/posts.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';

const networks = connectPlatforms(readConfig({}).platforms, {
  fetch,
  lookUpTxt: txtOf({}),
  withWebSocket: () => Promise.reject(new Error('No network is called.')),
});
const rest = useRest({}, { platforms: createPlatforms(networks) });

let key: string;
let projectId: string;
let accountId: string;

beforeEach(async () => {
  ({ key, projectId } = await rest.createTenant());
  accountId = await rest.insertAccount(projectId);
  await setDefaults({ langs: ['en'], tags: ['news'] });
});

async function setDefaults(platform_options: object, id = accountId): Promise<void> {
  const body = { defaults: { platform_options } };
  const { status } = await rest.call('PATCH', `/v1/accounts/${id}`, { key, body });
  expect(status).toBe(200);
}

const ask = (method: string, path: string, body?: object) =>
  rest.call(method, `/v1/posts${path}`, { key, body });

async function write(method: string, path: string, body?: object): Promise<Post> {
  const answer = await ask(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body.data;
}

const create = (platform_options: object | null = null, more: object = {}) =>
  write('POST', '', {
    caption: 'a',
    platform_posts: [{ account_id: accountId, platform_options }],
    ...more,
  });
const change = ({ id }: Post, changes: object) => write('PATCH', `/${id}`, changes);
const publish = ({ id }: Post) => write('POST', `/${id}/publish`);

/** What the first result shows, and what its network would get. */
async function optionsIn({ results: [result] }: Post) {
  const row = await findTarget(rest.context.db, result!.id);
  const { platform_options: shown, defaulted } = result!;
  return { shown, defaulted, sent: optionsOf(row!) };
}

const draft = { status: 'draft' };
const both = { langs: ['en'], tags: ['news'] };

describe('a new post', () => {
  test('gets the defaults of its account', async () => {
    const expected = { shown: both, sent: both, defaulted: ['langs', 'tags'] };
    expect(await optionsIn(await create())).toEqual(expected);
    const short = { caption: 'b', account_ids: [accountId] };
    expect(await optionsIn(await write('POST', '', short))).toEqual(expected);
  });

  test('replaces the defaults key by key', async () => {
    const options = { ...both, langs: ['de'] };
    expect(await optionsIn(await create({ langs: ['de'] }))).toEqual({
      shown: options,
      sent: options,
      defaulted: ['tags'],
    });
  });

  test("doesn't get a default for an option that is null", async () => {
    expect(await optionsIn(await create({ langs: null }))).toEqual({
      shown: { langs: null, tags: ['news'] },
      sent: { tags: ['news'] },
      defaulted: ['tags'],
    });
  });

  test('can have a null for an option without a default', async () => {
    await setDefaults({});
    expect(await optionsIn(await create({ langs: null }))).toEqual({
      shown: { langs: null },
      sent: {},
      defaulted: [],
    });
  });

  test('gets the defaults in each part of a thread, and if it is scheduled', async () => {
    const parts = [0, 1].map((thread_position) => ({
      account_id: accountId,
      caption: `part ${thread_position}`,
      thread_position,
      ...(thread_position === 1 && { platform_options: { tags: [] } }),
    }));
    const body = { platform_posts: parts, scheduled_at: inSeconds(3_600) };
    const { results } = await write('POST', '', body);
    expect(results.map(({ defaulted }) => defaulted)).toEqual([['langs', 'tags'], ['langs']]);
  });

  test('has no default any more for an option that an edit has set or removed', async () => {
    const post = await create();
    const content = { platform_options: { langs: ['de'], tags: null } };
    await inQuietTransaction(rest.context.db, (trx) =>
      setChanged(trx, post.results[0]!.id, { content }),
    );
    expect(await optionsIn(await write('GET', `/${post.id}`))).toEqual({
      shown: { langs: ['de'], tags: null },
      sent: { langs: ['de'] },
      defaulted: [],
    });
  });

  test('keeps the defaults of its creation when they change later', async () => {
    const post = await create();
    await setDefaults({});
    expect(await optionsIn(await write('GET', `/${post.id}`))).toMatchObject({ sent: both });
  });
});

describe('a draft', () => {
  test('has no defaults until it is published, and then gets the defaults of that time', async () => {
    const post = await create({ tags: ['own'] }, draft);
    expect(await optionsIn(post)).toEqual({
      shown: { tags: ['own'] },
      sent: { tags: ['own'] },
      defaulted: [],
    });
    await setDefaults({ langs: ['fr'] });
    const options = { langs: ['fr'], tags: ['own'] };
    expect(await optionsIn(await publish(post))).toEqual({
      shown: options,
      sent: options,
      defaulted: ['langs'],
    });
  });

  test('gets the defaults when it is scheduled, and keeps them when it is changed or published', async () => {
    const post = await create(null, draft);
    const scheduled = await change(post, { scheduled_at: inSeconds(3_600) });
    expect(await optionsIn(scheduled)).toMatchObject({ sent: both, defaulted: ['langs', 'tags'] });
    await setDefaults({ langs: ['fr'] });
    expect(await optionsIn(await change(post, { caption: 'b' }))).toMatchObject({ sent: both });
    const later = { scheduled_at: inSeconds(7_200) };
    expect(await optionsIn(await change(post, later))).toMatchObject({ sent: both });
    expect(await optionsIn(await publish(post))).toMatchObject({ sent: both });
  });

  test('that was a scheduled post loses the defaults, but not its nulls', async () => {
    const post = await create({ langs: null }, { scheduled_at: inSeconds(3_600) });
    const again = await change(post, { scheduled_at: null });
    expect(await optionsIn(again)).toEqual({
      shown: { langs: null },
      sent: {},
      defaulted: [],
    });
    await setDefaults({ langs: ['fr'], tags: ['late'] });
    expect(await optionsIn(await publish(post))).toEqual({
      shown: { langs: null, tags: ['late'] },
      sent: { tags: ['late'] },
      defaulted: ['tags'],
    });
  });

  test('keeps its nulls for defaults that are set later', async () => {
    await setDefaults({});
    const written = await create({ langs: null }, draft);
    const again = await create({ langs: null }, { caption: 'b', scheduled_at: inSeconds(3_600) });
    await change(again, { scheduled_at: null });
    await setDefaults(both);
    for (const post of [written, again]) {
      expect(await optionsIn(await publish(post))).toEqual({
        shown: { langs: null, tags: ['news'] },
        sent: { tags: ['news'] },
        defaulted: ['tags'],
      });
    }
  });

  test('has a higher revision after it is scheduled with the defaults', async () => {
    const post = await create(null, draft);
    const [before] = post.results;
    const after = await change(post, { scheduled_at: inSeconds(3_600) });
    expect(after.revision).toBeGreaterThan(post.revision);
    expect(after.results[0]!.id).toBe(before!.id);
  });
});

describe('new targets', () => {
  const targets = () => ({ platform_posts: [{ account_id: accountId }] });

  test('of a scheduled post get the defaults', async () => {
    const post = await create({ langs: ['de'] }, { scheduled_at: inSeconds(3_600) });
    await setDefaults({ langs: ['fr'] });
    const changed = await change(post, targets());
    expect(await optionsIn(changed)).toMatchObject({
      sent: { langs: ['fr'] },
      defaulted: ['langs'],
    });
  });

  test('of a draft get the defaults when it is scheduled', async () => {
    const post = await create({ langs: ['de'] }, draft);
    const changed = await change(post, targets());
    expect(await optionsIn(changed)).toMatchObject({ sent: {}, defaulted: [] });
    const scheduled = await change(post, { ...targets(), scheduled_at: inSeconds(3_600) });
    expect(await optionsIn(scheduled)).toMatchObject({ sent: both });
  });

  test('that are sent back as they were read do not change', async () => {
    const post = await create({ langs: null }, { scheduled_at: inSeconds(3_600) });
    const [{ platform_options }] = post.results as [Post['results'][number]];
    const back = [{ account_id: accountId, platform_options }];
    expect(await optionsIn(await change(post, { platform_posts: back }))).toMatchObject({
      sent: { tags: ['news'] },
    });
  });
});

describe('a default that the post refuses', () => {
  const options = ['Tabs', 'Spaces'];
  const link_attachment = 'https://example.com';
  let other: string;

  beforeEach(async () => {
    other = await rest.insertAccount(projectId, { platform: 'threads' });
    await setDefaults({ poll: { options } }, other);
  });

  const refused = {
    path: 'platform_posts[0].account_id',
    message: 'The account has the default `poll`: must not be beside link_attachment',
  };
  const body = (platform_options: object) => ({
    caption: 'a',
    platform_posts: [{ account_id: other, platform_options }],
  });

  test('is reported at the account', async () => {
    const answer = await ask('POST', '', body({ link_attachment }));
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([refused]);
    const validated = await write('POST', '/validate', body({ link_attachment }));
    expect(validated).toMatchObject({ valid: false, errors: [refused] });
  });

  test('is reported for a draft too, and is left out if the option is null', async () => {
    const answer = await ask('POST', '', { ...body({ link_attachment }), ...draft });
    expect(answer.body.error.issues).toMatchObject([refused]);
    const { results } = await write('POST', '', body({ link_attachment, poll: null }));
    expect(results).toMatchObject([{ platform_options: { link_attachment, poll: null } }]);
  });
});

test('an unknown option is refused even if it is null', async () => {
  const platform_posts = [{ account_id: accountId, platform_options: { nothing: null } }];
  const answer = await ask('POST', '', { caption: 'a', platform_posts });
  expect(answer.body.error.issues).toMatchObject([
    { path: 'platform_posts[0].platform_options.nothing', code: 'unknown_field' },
  ]);
});
