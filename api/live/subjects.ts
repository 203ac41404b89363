// What a change is about, read once for all the streams that tell of it.
import type { ChangeRow } from '../../schema/database/database.ts';
import { listDeliveriesById } from '../../schema/database/deliveries.ts';
import { listPostsById } from '../../schema/database/posts.ts';
import { listWebhooksById } from '../../schema/database/webhooks.ts';
import type { Delivery } from '../../schema/deliveries.ts';
import type { Post } from '../../schema/posts.ts';
import type { Webhook } from '../../schema/webhooks.ts';
import type { Context } from '../context.ts';
import { presentDelivery } from '../deliveries/presenter.ts';
import { presentPost } from '../posts/presenter.ts';
import { presentWebhook } from '../webhooks/presenter.ts';

/** The subject as it is when the change is told, which may be later than the change; null: gone. */
export interface Subjects {
  readonly post: (change: ChangeRow) => Promise<Post | null>;
  readonly delivery: (change: ChangeRow) => Promise<Delivery | null>;
  readonly webhook: (change: ChangeRow) => Promise<Webhook | null>;
}

export function createSubjects(context: Pick<Context, 'db' | 'publicUrl'>): Subjects {
  const { db } = context;
  return {
    post: shareReads(async (ids) =>
      (await listPostsById(db, ids)).map(({ post, results }) =>
        presentPost(context, post, results),
      ),
    ),
    delivery: shareReads(async (ids) => (await listDeliveriesById(db, ids)).map(presentDelivery)),
    webhook: shareReads(async (ids) => (await listWebhooksById(db, ids)).map(presentWebhook)),
  };
}

const maxKept = 2_000;

/** One query for the changes that arrive together; its answers are kept for the streams behind. */
function shareReads<T extends { id: string }>(
  readAll: (ids: string[]) => Promise<T[]>,
): (change: ChangeRow) => Promise<T | null> {
  const kept = new Map<string, Promise<T | null>>();
  let waiting: Set<string> | undefined;
  let reading: Promise<Map<string, T>> | undefined;

  async function readWaiting(): Promise<Map<string, T>> {
    await new Promise((resolve) => setImmediate(resolve));
    const ids = [...waiting!];
    waiting = undefined;
    reading = undefined;
    return new Map((await readAll(ids)).map((subject) => [subject.id, subject]));
  }

  return (change) => {
    const known = kept.get(change.id);
    if (known) return known;
    waiting = (waiting ?? new Set<string>()).add(change.subject_id);
    reading ??= readWaiting();
    const subject = reading.then((subjects) => subjects.get(change.subject_id) ?? null);
    kept.set(change.id, subject);
    subject.catch(() => kept.delete(change.id));
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
    return subject;
  };
}
