// The share page of a post that has a slot of a queue: the creator decides about the post, and its slot stays.
import { beforeAll, expect, test } from 'vitest';
import { createBrowser } from '../../support/app/browser.ts';
import { forFile } from '../../support/fixtures.ts';
import { startTikTokApp } from '../../support/networks/tiktok/app.ts';
import { createReviewLink, textOf } from '../../support/networks/tiktok/share-page.ts';
import { consentOfTest as consent } from '../../support/networks/tiktok/subject.ts';

const tiktok = forFile(() => startTikTokApp({ roles: { api: true, worker: false } }));
const api = () => tiktok.app.api;
const choices = { caption: 'Mine', privacy_level: 'SELF_ONLY' };

let mediaId: string;
beforeAll(async () => {
  mediaId = await tiktok.uploadVideo();
});

async function createQueue(): Promise<string> {
  const slots = ['mon', 'thu'].map((weekday) => ({ weekday, time: '09:00' }));
  const queue = { name: 'Mornings', timezone: 'UTC', account_ids: [tiktok.accountId], slots };
  return (await api().post('/v1/queues', queue)).body.data.id;
}

async function addToQueue(queue_id: string) {
  const platform_options = { privacy_level: 'PUBLIC_TO_EVERYONE', consent };
  const platform_posts = [{ account_id: tiktok.accountId, platform_options }];
  const post = { caption: 'Rehearsal', media_ids: [mediaId], platform_posts, queue_id };
  const { status, text, body } = await api().post('/v1/posts', post);
  expect(status, text).toBe(201);
  return body.data;
}

const readPost = async (id: string) => (await api().get(`/v1/posts/${id}`)).body.data;
const listTaken = async (queueId: string) =>
  (await api().get(`/v1/queues/${queueId}/slots`)).body.data
    .filter(({ post_id }: { post_id: string | null }) => post_id !== null)
    .map(({ at, post_id }: { at: string; post_id: string }) => [at, post_id]);

async function review(postId: string) {
  const { url } = await createReviewLink(api(), postId);
  const browser = createBrowser();
  const page = await browser.visit(url);
  return { browser, page };
}

test('keeps its slot, with the new choices of the creator', async () => {
  const queueId = await createQueue();
  const before = await addToQueue(queueId);
  const { browser, page } = await review(before.id);
  expect(textOf(page)).toContain('The post will be published on');
  expect(textOf(await browser.submit(page, choices))).toContain('Your post is scheduled');
  const { results, ...after } = await readPost(before.id);
  const { scheduled_at } = before;
  expect(after).toMatchObject({ status: 'scheduled', scheduled_at, queue_id: queueId });
  expect(results[0]).toMatchObject({
    caption: 'Mine',
    platform_options: { privacy_level: 'SELF_ONLY' },
  });
  expect(results[0].platform_options.consent).not.toEqual(consent);
  expect(await listTaken(queueId)).toEqual([[scheduled_at, before.id]]);
});

test('is opened again if the post was moved to another slot since', async () => {
  const queueId = await createQueue();
  const { id } = await addToQueue(queueId);
  const { browser, page } = await review(id);
  await api().patch(`/v1/posts/${id}`, { queue_id: queueId, queue_position: 'last' });
  const stale = await browser.submit(page, choices);
  expect([stale.status, textOf(stale)]).toEqual([
    409,
    expect.stringContaining('The post has changed since you opened this page.'),
  ]);
  const again = await browser.visit(page.url);
  expect(textOf(await browser.submit(again, choices))).toContain('Your post is scheduled');
});

test('is published as it is if the queue has lost the account since, because such posts keep their targets', async () => {
  const queueId = await createQueue();
  const { id, scheduled_at } = await addToQueue(queueId);
  const other = await tiktok.app.tenant.connectSandbox('ada');
  await api().patch(`/v1/queues/${queueId}`, { account_ids: [other.id] });
  const { browser, page } = await review(id);
  const sent = await browser.submit(page, choices);
  expect([sent.status, textOf(sent)]).toEqual([
    200,
    expect.stringContaining('Your post is scheduled'),
  ]);
  expect(await readPost(id)).toMatchObject({ status: 'scheduled', scheduled_at });
});
