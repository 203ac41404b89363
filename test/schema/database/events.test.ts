// Recording an event: its body, time, deliveries and changes.
import { describe, expect, test } from 'vitest';
import { lockAccount } from '../../../schema/database/accounts/accounts.ts';
import { recordEvent, type NewEvent } from '../../../schema/database/events/record.ts';
import { lockPost } from '../../../schema/database/posts/posts.ts';
import { liveEventTypes, type EventType } from '../../../schema/event-types.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addPost } from '../../support/rows/rows.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();

async function createProject(): Promise<string> {
  const id = newId('project');
  await database.db.insertInto('projects').values({ id, name: 'test' }).execute();
  return id;
}

async function createWebhook(
  projectId: string,
  events: EventType[],
  columns: {
    status?: 'active' | 'disabled';
    deleted_at?: Date;
    environment?: 'production' | 'test';
  } = {},
): Promise<string> {
  const id = newId('webhook');
  await database.db
    .insertInto('webhook_subscriptions')
    .values({
      id,
      project_id: projectId,
      environment: 'production',
      url: 'https://example.com/',
      events,
      status: 'active',
      secret_preview: 'whsec_…',
      ...columns,
    })
    .execute();
  return id;
}

type Recorded = Omit<NewEvent, 'environment'> & Partial<NewEvent>;

const record = (event: Recorded, previewEvents = false) =>
  inQuietTransaction(database.db, (trx) =>
    recordEvent(trx, { environment: 'production', ...event }, { previewEvents }),
  );

const readEvent = (id: string | null) =>
  database.db.selectFrom('events').selectAll().where('id', '=', id!).executeTakeFirstOrThrow();

const listDeliveries = (eventId: string | null) =>
  database.db
    .selectFrom('deliveries')
    .selectAll()
    .where('event_id', '=', eventId!)
    .orderBy('id')
    .execute();

describe('recordEvent', () => {
  test('renders the envelope once, with its three members and the given data', async () => {
    const projectId = await createProject();
    const data = { id: 'post_1', caption: 'ünï 😀 "quoted" \\ \u0001', scheduled_at: null };
    const { eventId } = await record({ projectId, type: 'post.published', data, postId: 'post_1' });
    const { body, created_at } = await readEvent(eventId);
    expect(body).toBe(
      `{"event":"post.published","timestamp":"${created_at.toISOString()}","data":${JSON.stringify(data)}}`,
    );
    expect(Math.abs(created_at.getTime() - Date.now())).toBeLessThan(5_000);
  });

  test('inserts one delivery for each webhook of the project that subscribes to the event type', async () => {
    const projectId = await createProject();
    const active = await createWebhook(projectId, ['post.failed', 'post.published']);
    const disabled = await createWebhook(projectId, ['post.published'], { status: 'disabled' });
    await createWebhook(projectId, ['post.failed']);
    await createWebhook(projectId, ['post.published'], { deleted_at: new Date() });
    await createWebhook(await createProject(), ['post.published']);
    const recorded = await record({
      projectId,
      type: 'post.published',
      data: {},
      postId: 'post_2',
    });
    expect(recorded.deliveryCount).toBe(2);
    const { created_at } = await readEvent(recorded.eventId);
    expect(await listDeliveries(recorded.eventId)).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
        webhook_id: active,
        project_id: projectId,
        event: 'post.published',
        status: 'pending',
        trigger: 'event',
        next_attempt_at: created_at,
        concluded_at: null,
        batch_id: null,
      }),
      expect.objectContaining({
        webhook_id: disabled,
        status: 'skipped',
        next_attempt_at: null,
        concluded_at: created_at,
      }),
    ]);
  });

  test('sends a webhook of a test key only events of the test environment', async () => {
    const projectId = await createProject();
    const all = await createWebhook(projectId, ['post.published']);
    const test = await createWebhook(projectId, ['post.published'], { environment: 'test' });
    const event = { projectId, type: 'post.published', data: {} } as const;
    const receivers = async (environment: 'production' | 'test') => {
      const { eventId } = await record({ ...event, environment });
      expect((await readEvent(eventId)).environment).toBe(environment);
      return (await listDeliveries(eventId)).map(({ webhook_id }) => webhook_id);
    };
    expect(await receivers('production')).toEqual([all]);
    expect(await receivers('test')).toEqual([all, test]);
  });

  test('adds the event and every delivery to the feed', async () => {
    const projectId = await createProject();
    await createWebhook(projectId, ['account.connected']);
    const { eventId } = await record({
      projectId,
      type: 'account.connected',
      data: {},
      socialAccountId: 'sa_1',
    });
    const [delivery] = await listDeliveries(eventId);
    const changes = await database.db
      .selectFrom('changes')
      .select(['subject', 'subject_id', 'kind'])
      .where('project_id', '=', projectId)
      .orderBy('id')
      .execute();
    expect(changes).toEqual([
      { subject: 'event', subject_id: eventId, kind: 'recorded' },
      { subject: 'delivery', subject_id: delivery!.id, kind: 'created' },
    ]);
  });

  test('gives the events of one subject strictly increasing times', async () => {
    const projectId = await createProject();
    const times = await inQuietTransaction(database.db, async (trx) => {
      for (let i = 0; i < 20; i++) {
        const event: NewEvent = {
          projectId,
          environment: 'production',
          type: 'post.failed',
          data: { i },
          postId: 'post_3',
        };
        await recordEvent(trx, event, { previewEvents: false });
      }
      const rows = await trx
        .selectFrom('events')
        .select('created_at')
        .where('post_id', '=', 'post_3')
        .orderBy('id')
        .execute();
      return rows.map((row) => row.created_at.getTime());
    });
    expect(new Set(times).size).toBe(20);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test.each(['post', 'account'] as const)(
    'gives concurrent events of one %s strictly increasing times',
    async (subject) => {
      const { postId } = await addPost(database.db);
      const { id, project_id: projectId } = await database.db
        .selectFrom('social_accounts as a')
        .innerJoin('post_results as r', 'r.social_account_id', 'a.id')
        .select(['a.id', 'a.project_id'])
        .where('r.post_id', '=', postId)
        .executeTakeFirstOrThrow();
      const bodies: string[] = [];
      const write = () =>
        inQuietTransaction(database.db, async (trx) => {
          if (subject === 'post') await lockPost(trx, postId);
          else await lockAccount(trx, { projectId, environment: 'test' }, id);
          const about = subject === 'post' ? { postId } : { socialAccountId: id };
          const { eventId } = await recordEvent(
            trx,
            { projectId, environment: 'test', type: 'post.failed', data: {}, ...about },
            { previewEvents: false },
          );
          const { body } = await trx
            .selectFrom('events')
            .select('body')
            .where('id', '=', eventId!)
            .executeTakeFirstOrThrow();
          // Still with the lock, so in the order of the commits.
          bodies.push(body);
        });
      await Promise.all(Array.from({ length: 50 }, write));
      const times = bodies.map((body) => JSON.parse(body).timestamp as string);
      expect(times).toEqual(times.toSorted());
      expect(new Set(times).size).toBe(50);
      expect(times.filter((time) => !/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/.test(time))).toEqual([]);
    },
  );

  test('gives the deliveries of many webhooks unique ids, in order', async () => {
    const projectId = await createProject();
    for (let i = 0; i < 70; i++) await createWebhook(projectId, ['post.partial']);
    const { eventId } = await record({
      projectId,
      type: 'post.partial',
      data: {},
      postId: 'post_4',
    });
    const deliveries = await listDeliveries(eventId);
    expect(new Set(deliveries.map((delivery) => delivery.id)).size).toBe(70);
    const webhooks = deliveries.map((delivery) => delivery.webhook_id);
    expect(webhooks).toEqual(webhooks.toSorted());
  });

  test('records an event type that is coming soon only if previews are on', async () => {
    const projectId = await createProject();
    await createWebhook(projectId, ['post.scheduled']);
    const event = { projectId, type: 'post.scheduled', data: {}, postId: 'post_5' } as const;
    expect(await record(event)).toEqual({ eventId: null, deliveryCount: 0 });
    expect(await record(event, true)).toEqual({ eventId: expect.any(String), deliveryCount: 1 });
  });

  test('records an opt-in event type for the webhooks that name it', async () => {
    const projectId = await createProject();
    const naming = await createWebhook(projectId, ['account.expiring']);
    await createWebhook(projectId, liveEventTypes);
    const event = { projectId, type: 'account.expiring', data: {} } as const;
    const { eventId } = await record({ ...event, socialAccountId: 'sa_1' });
    expect(await readEvent(eventId)).toMatchObject({ kind: 'account.expiring' });
    expect(await listDeliveries(eventId)).toMatchObject([{ webhook_id: naming }]);
  });

  test('writes nothing when its transaction fails', async () => {
    const projectId = await createProject();
    await createWebhook(projectId, ['post.failed']);
    const work = inQuietTransaction(database.db, async (trx) => {
      await recordEvent(
        trx,
        { projectId, environment: 'production', type: 'post.failed', data: {}, postId: 'post_6' },
        { previewEvents: false },
      );
      throw new Error('too late');
    });
    await expect(work).rejects.toThrow('too late');
    const { count } = await database.db
      .selectFrom('events')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    expect(count).toBe('0');
  });
});
