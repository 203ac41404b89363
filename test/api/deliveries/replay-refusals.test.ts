// Replays that are refused, asked for at once or twice, and the same in GraphQL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';
import { answerByPath, hourAgo, Past } from '../../support/receivers/replays.ts';

let app: TestApp;
let receiver: Receiver;
let quiet: Past;

beforeAll(async () => {
  [app, receiver] = await Promise.all([
    startApp({ env: { FANFARE_DELIVERY_DELAYS_MS: '10,10,10' } }),
    startReceiver(),
  ]);
  answerByPath(receiver);
  quiet = await Past.withSkipped(app, receiver, 0);
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const slow = () => ({ status: 200, delayMs: 1_000 });

async function refusal(body: unknown, { webhookId, tenant } = quiet) {
  const { status, body: answer } = await tenant.api.post(`/v1/webhooks/${webhookId}/replay`, body);
  return { status, ...answer.error };
}

describe('POST /v1/webhooks/:id/replay refuses', () => {
  test('a disabled webhook, with a hint', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    await past.setActive(false);
    expect(await refusal({ from: hourAgo() }, past)).toMatchObject({
      status: 409,
      code: 'conflict',
      hint: 'Enable it first, by `PATCH /v1/webhooks/:id` with `{"active": true}`.',
    });
  });

  test('a range that is empty', async () => {
    const now = new Date().toISOString();
    const [soon, later] = [60_000, 120_000].map((ms) => new Date(Date.now() + ms).toISOString());
    for (const range of [
      { from: now, to: hourAgo() },
      { from: now, to: now },
      { from: soon },
      { from: soon, to: later },
    ]) {
      expect(await refusal(range)).toMatchObject({
        status: 422,
        issues: [{ path: 'from', code: 'not_before_to', actual: range.from }],
      });
    }
  });

  test('a range over the retention, and gives the limit', async () => {
    const from = new Date(Date.now() - 31 * 86_400_000).toISOString();
    const { status, message, issues } = await refusal({ from });
    expect({ status, message }).toEqual({
      status: 422,
      message: expect.stringContaining('older events have been pruned'),
    });
    const [{ limit }] = issues;
    expect(issues).toMatchObject([{ path: 'from', code: 'before_retention', actual: from }]);
    expect(message).toContain(limit);
    expect(Date.now() - Date.parse(limit) - 30 * 86_400_000).toBeLessThan(60_000);
  });

  test('bad fields, by their paths', async () => {
    const from = hourAgo();
    const paths = async (body: unknown) =>
      (await refusal(body)).issues.map((issue: { path: string }) => issue.path);
    expect(await paths({})).toEqual(['from']);
    expect(await paths({ from: 'yesterday', to: 1 })).toEqual(['from', 'to']);
    expect(await paths({ from, status: [] })).toEqual(['status']);
    expect(await paths({ from, status: ['pending'] })).toEqual(['status[0]']);
    expect(await paths({ from, until: 1 })).toEqual(['until']);
    expect(await paths({ from, before: 1 })).toEqual(['before']);
  });

  test('a bound by both of its names, and names the former name that was given', async () => {
    const now = new Date().toISOString();
    for (const [range, path, code] of [
      [{ from: hourAgo(), since: hourAgo() }, 'since', 'both_names'],
      [{ from: hourAgo(), to: now, until: now }, 'until', 'both_names'],
      [{ since: now, until: now }, 'since', 'not_before_until'],
      [{ since: now, to: now }, 'since', 'not_before_to'],
      [{ from: now, until: now }, 'from', 'not_before_until'],
      [{ since: '2020-01-01T00:00:00Z' }, 'since', 'before_retention'],
    ] as const) {
      expect(await refusal(range)).toMatchObject({ status: 422, issues: [{ path, code }] });
    }
  });

  test("a webhook that is unknown, deleted or another project's", async () => {
    const { tenant } = quiet;
    const theirs = await app.tenant.createWebhook(receiver.url);
    const deleted = await tenant.createWebhook(receiver.url);
    await tenant.api.delete(`/v1/webhooks/${deleted.id}`);
    for (const webhookId of ['wh_unknown', theirs.id, deleted.id]) {
      const path = `/v1/webhooks/${webhookId}/replay`;
      const answer = await tenant.api.post(path, { from: hourAgo() });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
  });

  test('the second of two replays at once, with the id of the running replay', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    past.reply(slow);
    const answers = await Promise.all([past.ask(), past.ask()]);
    const [taken, refused] = answers.toSorted((a, b) => a.status - b.status);
    expect([taken!.status, refused!.status]).toEqual([202, 409]);
    const { replay_id } = (taken!.body as { data: { replay_id: string } }).data;
    expect(refused!.body).toMatchObject({ error: { code: 'conflict', replay_id } });
    expect(await refusal({ from: hourAgo() }, past)).toMatchObject({ status: 409, replay_id });
    await past.waitForEnd(replay_id);
    expect(past.requests()).toHaveLength(1);
  });

  test('nothing if a request is repeated with the same Idempotency-Key, and replays once', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    const options = { headers: { 'Idempotency-Key': past.path } };
    const path = `/v1/webhooks/${past.webhookId}/replay`;
    const body = { from: hourAgo() };
    const first = await past.tenant.api.post(path, body, options);
    const again = await past.tenant.api.post(path, body, options);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body.data).toEqual(first.body.data);
    expect((await past.tenant.api.get(`${path}s`)).body.data).toHaveLength(1);
  });
});

describe('replayDeliveries and replay in GraphQL', () => {
  const start = `mutation ($webhookId: ID!, $input: ReplayDeliveriesInput!, $key: String) {
    replayDeliveries(webhookId: $webhookId, input: $input, idempotencyKey: $key) {
      replayId matched
    }
  }`;

  test('a replay is started once, read and listed', async () => {
    const past = await Past.withSkipped(app, receiver, 1);
    const { webhookId, tenant, path: key } = past;
    const input = { from: hourAgo(), status: ['SKIPPED', 'MISSING'] };
    const { replayDeliveries: made } = await ask(app, start, { webhookId, input, key }, tenant.key);
    expect(made).toEqual({ replayId: expect.stringMatching(/^rpl_/), matched: 1 });
    const again = await ask(app, start, { webhookId, input, key }, tenant.key);
    expect(again.replayDeliveries).toEqual(made);
    await past.waitForEnd(made.replayId);
    const shown = await ask(
      app,
      `query ($id: ID!, $webhookId: ID!) {
        replay(id: $id) {
          id webhookId status from to since until statusFilter matched reopened pending delivered failed
          skipped canceled createdAt concludedAt
        }
        replays(webhookId: $webhookId, first: 1) { nodes { id } pageInfo { hasNextPage } }
      }`,
      { id: made.replayId, webhookId },
      tenant.key,
    );
    expect(shown.replay).toMatchObject({
      webhookId,
      status: 'COMPLETED',
      from: input.from,
      since: input.from,
      statusFilter: ['SKIPPED', 'MISSING'],
      matched: 1,
      reopened: 1,
      pending: 0,
      delivered: 1,
    });
    expect(shown.replays).toEqual({
      nodes: [{ id: made.replayId }],
      pageInfo: { hasNextPage: false },
    });
  });

  test('issues have their paths', async () => {
    const now = new Date().toISOString();
    for (const [input, path, code] of [
      [{ from: now, to: hourAgo() }, 'input.from', 'not_before_to'],
      [{ since: now, until: hourAgo() }, 'input.since', 'not_before_until'],
      [{ from: now, since: now }, 'input.since', 'both_names'],
      [{}, 'input.from', 'required'],
    ] as const) {
      const variables = { webhookId: quiet.webhookId, input };
      expect(await askRefused(app, start, variables, quiet.tenant.key)).toMatchObject({
        code: 'validation_error',
        issues: [{ path, code }],
      });
    }
  });

  test("another project's replay is not found", async () => {
    const { replay_id: id } = await quiet.replay();
    const read = `query ($id: ID!) { replay(id: $id) { id } }`;
    expect(await askRefused(app, read, { id })).toMatchObject({ code: 'not_found' });
    expect((await ask(app, read, { id }, quiet.tenant.key)).replay).toEqual({ id });
  });
});
