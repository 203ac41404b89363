// What clients do during an upgrade, and the proof that nothing of it was lost or made twice. The network and the receiver
// belong to no version.
import { expect } from 'vitest';
import type { Db } from '../../../schema/database/tables.ts';
import type { Api, ApiAnswer } from '../app/api.ts';
import type { Receiver } from '../receivers/receiver.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read into answers of every shape
type Json = any;

export interface Load {
  /** Posts to both accounts: fast, slow, refused once, with a lost answer, scheduled and together. Changes drafts. */
  write(api: Api, stage: string): Promise<void>;
  /** Counts the posts as its own. */
  add(posts: Json[]): void;
  /** Waits until everything has ended, and checks it. */
  settle(api: Api): Promise<void>;
}

export function createLoad(network: Db, receiver: Receiver): Load {
  const posts: Json[] = [];
  const canceled: string[] = [];
  /** The deliveries of each post, with the number of times that each was taken. */
  const taken = new Map<string, Map<string, number>>();
  const asked = new Set<string>();
  receiver.respondWith((request) => {
    const { event, data } = request.json();
    const delivery = String(request.headers['x-service-delivery']);
    const isFirst = !asked.has(delivery);
    asked.add(delivery);
    // A workflow retries every other delivery.
    if (isFirst && asked.size % 2 === 0) return { status: 500 };
    if (event === 'post.published') {
      const ofPost = taken.get(data.id) ?? new Map<string, number>();
      taken.set(data.id, ofPost.set(delivery, (ofPost.get(delivery) ?? 0) + 1));
    }
    return { status: 200 };
  });

  async function write(api: Api, stage: string): Promise<void> {
    const account_ids = await listAccounts(api);
    const create = async (post: object) => send(api.post('/v1/posts', { account_ids, ...post }));
    const inS = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    for (const outcome of [
      'delay_ms=1500',
      'outcome=unavailable times=1',
      'outcome=answer_lost times=1',
    ])
      posts.push(await create({ caption: `${stage} [sandbox ${outcome}]` }));
    posts.push(await create({ caption: `${stage} soon`, scheduled_at: inS(3) }));
    const together = [1, 2, 3].map((n) => ({ caption: `${stage} together ${n}`, account_ids }));
    const created = await send(api.post('/v1/posts/bulk', { posts: together }));
    posts.push(...created.map(({ post }: Json) => post));
    const draft = await create({ caption: `${stage} draft`, status: 'draft' });
    await send(api.patch(`/v1/posts/${draft.id}`, { caption: `${stage} changed` }));
    posts.push(await send(api.post(`/v1/posts/${draft.id}/publish`)));
    const { id } = await create({ caption: `${stage} canceled`, scheduled_at: inS(3_600) });
    await send(api.post(`/v1/posts/${id}/cancel`));
    canceled.push(id);
  }

  async function settle(api: Api): Promise<void> {
    const statusesOf = (ids: string[]) =>
      Promise.all(ids.map(async (id) => (await send(api.get(`/v1/posts/${id}`))).status as string));
    const ids = posts.map((post) => post.id as string);
    const wait = { timeout: 30_000, interval: 250 };
    await expect.poll(() => statusesOf(ids), wait).toEqual(ids.map(() => 'published'));
    const delivered = () => ids.map((id) => [...(taken.get(id)?.values() ?? [])]);
    await expect.poll(delivered, wait).toEqual(ids.map(() => [1]));
    expect(await statusesOf(canceled)).toEqual(canceled.map(() => 'canceled'));
    const results: string[] = posts.flatMap((post) =>
      post.results.map((result: Json) => result.id as string),
    );
    const rows = await network.selectFrom('sandbox_posts').select('reference').execute();
    const own = rows.map(({ reference }) => reference!).filter((id) => results.includes(id));
    expect(own.toSorted()).toEqual(results.toSorted());
  }

  return { write, add: (added) => void posts.push(...added), settle };
}

async function listAccounts(api: Api): Promise<string[]> {
  const accounts = await send(api.get('/v1/accounts?platform=sandbox&status=active'));
  return accounts.map(({ id }: Json) => id as string);
}

async function send(asked: Promise<ApiAnswer<Json>>): Promise<Json> {
  const { status, text, body } = await asked;
  expect(status, text).toBeLessThan(300);
  return body.data;
}
