// How a post at Slack is found whose answer was lost.
import { describe, expect, test } from 'vitest';
import { startSlack } from '../../../support/networks/slack/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

describe('reconcile', () => {
  test('finds the post by its result, among posts with the same text', async () => {
    await using network = await startSlack();
    const target = network.target();
    await network.publish();
    const sent = await network.commit(target);
    network.server.say('Hello');
    network.server.say('Hello', { metadata: { event_type: 'task', event_payload: { id: 1 } } });
    await network.publish();
    expect(await network.reconcile(target)).toEqual(sent);
  });

  test('says that the post is absent once it has read everything since it was due', async () => {
    await using network = await startSlack();
    network.server.maxPage = 15;
    for (let i = 0; i < 40; i++) network.server.say(`Message ${i}`);
    network.server.calls.length = 0;
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'absent' });
    expect(network.server.calls).toEqual(Array(3).fill('conversations.history'));
  });

  test('finds the post on a later page', async () => {
    await using network = await startSlack();
    network.server.maxPage = 15;
    const target = network.target();
    const sent = await network.commit(target);
    for (let i = 0; i < 60; i++) network.server.say(`Message ${i}`);
    expect(await network.reconcile(target)).toEqual(sent);
  });

  test('returns unknown for a channel with more messages than it reads', async () => {
    await using network = await startSlack();
    network.server.maxPage = 15;
    const target = network.target();
    await network.commit(target);
    for (let i = 0; i < 75; i++) network.server.say(`Message ${i}`);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test('reads no further back than a minute before the post was due', async () => {
    await using network = await startSlack();
    const target = network.target();
    await network.commit(target);
    const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);
    const found = { outcome: 'published' };
    expect(await network.reconcile({ ...target, dueAt: later(50) })).toMatchObject(found);
    const absent = { outcome: 'absent' };
    expect(await network.reconcile({ ...target, dueAt: later(70) })).toEqual(absent);
  });

  test('finds a reply in its thread, even if the state is lost', async () => {
    await using network = await startSlack();
    const root = await network.publish();
    const first = await network.publish({ replyTo: root.externalId });
    const target = network.target({ replyTo: first.externalId });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const state = await network.prepare(target);
    const sent = await network.commit({ ...target, state });
    expect(sent).toMatchObject({ published: { url: expect.stringContaining('?thread_ts=') } });
    network.server.calls.length = 0;
    expect(await network.reconcile({ ...target, state })).toEqual(sent);
    expect(network.server.calls).toEqual(['conversations.replies']);
    expect(await network.reconcile({ ...target, state: {} })).toEqual(sent);
  });

  test('does not take the post that starts the thread for the reply', async () => {
    await using network = await startSlack();
    const root = network.target();
    const outcome = await network.commit(root);
    if (outcome.outcome !== 'published') throw new Error('The post was not published.');
    const target = network.target({ replyTo: outcome.published.externalId });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
  });

  test('returns the wait that Slack asks for, even on a later page', async () => {
    await using network = await startSlack();
    network.server.maxPage = 15;
    for (let i = 0; i < 20; i++) network.server.say(`Message ${i}`);
    const first = await network.server.answer(
      new Request('http://slack.test/api/conversations.history?channel=C0GENERAL1&limit=200', {
        headers: { authorization: `Bearer ${network.server.token}` },
      }),
    );
    const limited = Response.json(
      { ok: false, error: 'ratelimited' },
      { status: 429, headers: { 'retry-after': '60' } },
    );
    network.server.answers.push(first, limited);
    expect(await refusal(network.reconcile(network.target()))).toMatchObject({
      kind: 'rate_limited',
      options: { retryAfterMs: 60_000, throttled: 'account' },
    });
  });

  test('names the scope that the app no longer has', async () => {
    await using network = await startSlack();
    network.server.scopes = ['chat:write'];
    const error = await refusal(network.reconcile(network.target()));
    expect(error.message).toMatch(/missing_scope: needs channels:history/);
  });
});
