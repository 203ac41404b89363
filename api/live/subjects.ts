// What a change is about, read once for all the streams that tell of it.
import { LRUCache } from 'lru-cache';
import type { Account } from '../../schema/accounts.ts';
import { listAccountsById } from '../../schema/database/accounts.ts';
import type { ChangeRow } from '../../schema/database/database.ts';
import { listDeliveriesById } from '../../schema/database/deliveries.ts';
import { listPostsById } from '../../schema/database/posts.ts';
import { listEventsById } from '../../schema/database/recorded-events.ts';
import { listReplaysById } from '../../schema/database/replays.ts';
import { listWebhooksById } from '../../schema/database/webhooks.ts';
import type { Delivery } from '../../schema/deliveries.ts';
import type { RecordedEvent } from '../../schema/events.ts';
import type { Post } from '../../schema/posts.ts';
import type { Replay } from '../../schema/replays.ts';
import type { Webhook } from '../../schema/webhooks.ts';
import { presentAccount } from '../accounts/presenter.ts';
import type { Context } from '../context.ts';
import { presentDelivery } from '../deliveries/presenter.ts';
import { presentEvent } from '../events/presenter.ts';
import { presentPost } from '../posts/presenter.ts';
import { presentReplays } from '../replays/operations.ts';
import { presentWebhook } from '../webhooks/presenter.ts';

type Read<T> = (change: ChangeRow) => Promise<T | null>;

/** The subject as it is when the change is told, which may be later than the change; null: gone. */
export interface Subjects {
  readonly account: Read<Account>;
  readonly delivery: Read<Delivery>;
  readonly event: Read<RecordedEvent>;
  readonly post: Read<Post>;
  readonly replay: Read<Replay>;
  readonly webhook: Read<Webhook>;
}

export function createSubjects(context: Pick<Context, 'db' | 'publicUrl'>): Subjects {
  const { db } = context;
  return {
    account: shareReads(async (project, ids) =>
      (await listAccountsById(db, project, ids)).map(presentAccount),
    ),
    delivery: shareReads(async (project, ids) =>
      (await listDeliveriesById(db, ids, project)).map(presentDelivery),
    ),
    event: shareReads(async (project, ids) =>
      (await listEventsById(db, project, ids)).map(presentEvent),
    ),
    post: shareReads(async (project, ids) =>
      (await listPostsById(db, ids, project)).map(({ post, results }) =>
        presentPost(context, post, results),
      ),
    ),
    replay: shareReads(async (project, ids) =>
      presentReplays(db, await listReplaysById(db, project, ids)),
    ),
    webhook: shareReads(async (project, ids) =>
      (await listWebhooksById(db, ids, project)).map(presentWebhook),
    ),
  };
}

/** Of each kind, for the streams that are told in the same moment: later ones see what has come since. */
const kept = { max: 500, ttl: 1_000 } as const;

/** One query for the changes that arrive together; its answers are kept for the streams behind. */
function shareReads<T extends { id: string }>(
  readAll: (projectId: string, ids: string[]) => Promise<T[]>,
): Read<T> {
  const known = new LRUCache<string, Promise<T | null>>(kept);
  const waiting = new Map<string, { ids: Set<string>; found: Promise<Map<string, T>> }>();

  async function readWaiting(projectId: string, ids: Set<string>): Promise<Map<string, T>> {
    await new Promise((resolve) => setImmediate(resolve));
    waiting.delete(projectId);
    return new Map((await readAll(projectId, [...ids])).map((subject) => [subject.id, subject]));
  }

  function readLater(projectId: string) {
    const ids = new Set<string>();
    const read = { ids, found: readWaiting(projectId, ids) };
    waiting.set(projectId, read);
    return read;
  }

  return ({ id, project_id: projectId, subject_id: subjectId }) => {
    const present = known.get(id);
    if (present) return present;
    const { ids, found } = waiting.get(projectId) ?? readLater(projectId);
    ids.add(subjectId);
    const subject = found.then((subjects) => subjects.get(subjectId) ?? null);
    known.set(id, subject);
    subject.catch(() => known.delete(id));
    return subject;
  };
}
