// TikTok's events about posts: a signed event wakes the poll of its post, and nothing else.
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createTikTok } from '../../../activities/platforms/tiktok/index.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { sealState } from '../../../schema/database/posts/provider-state.ts';
import type { PostResultRow } from '../../../schema/database/tables.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { addAccountOfUser } from '../../support/networks/meta/callbacks.ts';
import { postEventOf, secret, sendEvent } from '../../support/networks/tiktok/events.ts';
import { addTargets, getResult, targetRun } from '../../support/rows/targets.ts';

const nowhere = 'https://network.invalid';
const tiktok = createTikTok({ fetch, apiUrl: nowhere, consentUrl: nowhere, scopes: [] });
const rest = useRest({}, { platforms: createPlatforms([tiktok]) });

const tenant = forEachTest(() => rest.createTenant());
const addApp = (projectId: string | null, clientId = 'key') =>
  putApp(rest.context.db, projectId, rest.context.vault, {
    platform: 'tiktok',
    clientId,
    clientSecret: secret,
    ...(projectId !== null && { settings: {} }),
  });
const app = forEachTest(() => addApp(tenant.projectId));

const laterMs = 60_000;
const later = () => new Date(Date.now() + laterMs);

interface Waiting {
  userId?: string;
  state?: Record<string, unknown>;
  columns?: Partial<PostResultRow>;
}

/** A target that waits for its next poll. */
async function addWaiting({
  userId = 'open-42',
  state = { publishId: 'p1' },
  columns = {},
}: Waiting = {}) {
  const { db, vault } = rest.context;
  const accountId = await addAccountOfUser(rest, { projectId: tenant.projectId, app, userId });
  const { resultIds } = await addTargets(db, { projectId: tenant.projectId, accountId });
  const id = resultIds[0]!;
  const { clock = {}, ...others } = columns;
  await db
    .updateTable('post_results')
    .set({
      platform: 'tiktok',
      status: 'publishing',
      phase: 'confirm',
      next_attempt_at: later(),
      clock: JSON.stringify(clock),
      ...sealState(vault, id, state),
      ...(others as object),
    })
    .where('id', '=', id)
    .execute();
  return id;
}

const published = (): Partial<PostResultRow> => ({
  status: 'published',
  next_attempt_at: null,
  follow_at: later(),
  follow_until: later(),
});

const inputsFor = async (id: string) =>
  (
    await rest.context.db
      .selectFrom('outbox')
      .select('input')
      .where('workflow', '=', 'wakeResult')
      .where('workflow_id', 'like', `wake/${id}/%`)
      .execute()
  ).map(({ input }) => input);

const send = (event: object) => sendEvent(rest.context, event, { to: app });
const complete = (publishId = 'p1', change: object = {}) =>
  postEventOf('complete', publishId, change);
const read = (id: string) => getResult(rest.context.db, id);

/** The row but for what counts its changes, and the time that an event sets. */
const outcomeOf = (row: PostResultRow) => ({
  ...row,
  next_attempt_at: null,
  revision: null,
  updated_at: null,
});

describe('an event about a post', () => {
  test.each(['complete', 'failed', 'inbox_delivered'])('%s wakes its poll', async (event) => {
    const id = await addWaiting();
    const other = await addWaiting({ state: { publishId: 'p2' } });
    const before = await read(id);
    expect(await send(postEventOf(event, 'p1'))).toEqual([200, undefined]);
    const after = await read(id);
    expect(after.next_attempt_at!.getTime()).toBeLessThan(Date.now() + laterMs / 2);
    expect(outcomeOf(after)).toEqual(outcomeOf(before));
    expect(await inputsFor(id)).toEqual([{ resultId: id, run: targetRun }]);
    expect(await inputsFor(other)).toEqual([]);
  });

  test('wakes the poll of a video, by the ID of its upload', async () => {
    const upload = { publishId: 'v1', url: nowhere, bytes: 9, sentBytes: 0, expiresAtMs: 0 };
    const id = await addWaiting({ state: { off: [], upload } });
    expect(await send(complete('v1'))).toEqual([200, undefined]);
    expect(await inputsFor(id)).toHaveLength(1);
  });

  test('wakes the follow-up of its published post', async () => {
    const state = { publishId: 'p1', kind: 'video' };
    const id = await addWaiting({ state, columns: published() });
    expect(await send(postEventOf('publicly_available', 'p1'))).toEqual([200, undefined]);
    const { follow_at, status } = await read(id);
    expect(follow_at!.getTime()).toBeLessThan(Date.now() + laterMs / 2);
    expect(status).toBe('published');
    expect(await inputsFor(id)).toEqual([{ resultId: id }]);
  });

  test('wakes the post of an account of the operator app', async () => {
    const operators = await addApp(null, 'operator');
    const id = await addWaiting();
    await rest.context.db
      .updateTable('grants')
      .set({ app_id: operators.id })
      .where('project_id', '=', tenant.projectId)
      .execute();
    const event = complete('p1', { client_key: 'operator' });
    expect(await sendEvent(rest.context, event, { to: operators })).toEqual([200, undefined]);
    expect(await inputsFor(id)).toHaveLength(1);
  });
});

describe('nothing is woken', () => {
  test.each<[string, object, Waiting]>([
    ['by an unknown ID', complete('unknown'), {}],
    ['by an event without an ID', complete('p1', { content: '{}' }), {}],
    ['by an event whose content is no JSON', complete('p1', { content: 'p1' }), {}],
    ['by an event about something else', complete('p1', { event: 'video.upload' }), {}],
    ['for another creator', complete(), { userId: 'open-43' }],
    ['for a target whose call is on its way', complete(), { columns: { phase_state: 'begun' } }],
    ['for a target that waits for its commit', complete(), { columns: { phase: 'commit' } }],
    ['for a check of a lost answer', complete(), { columns: { phase: 'reconcile' } }],
    ['while TikTok limits the rate', complete(), { columns: { clock: { rateLimitedSinceMs: 1 } } }],
    ['for a post that has ended', complete(), { columns: { ...published(), follow_at: null } }],
  ])('%s', async (_, event, waiting) => {
    const id = await addWaiting(waiting);
    const before = await read(id);
    expect(await send(event)).toEqual([200, undefined]);
    expect(await read(id)).toEqual(before);
    expect(await inputsFor(id)).toEqual([]);
  });

  test('by an event of another app', async () => {
    const id = await addWaiting();
    const other = await addApp(tenant.projectId, 'other');
    const event = complete('p1', { client_key: 'other' });
    expect(await sendEvent(rest.context, event, { to: other })).toEqual([200, undefined]);
    expect(await inputsFor(id)).toEqual([]);
  });

  test('by a forged event', async () => {
    const id = await addWaiting();
    const sent = await sendEvent(rest.context, complete(), { to: app, with: 'guess' });
    expect(sent).toEqual([422, 'invalid_signature']);
    expect(await inputsFor(id)).toEqual([]);
  });
});
