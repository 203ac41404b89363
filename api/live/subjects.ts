// What a change is about, read once for all the streams that tell of it.
import { LRUCache } from 'lru-cache';
import type { Account } from '../../schema/accounts.ts';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import type { ChangeRow } from '../../schema/database/tables.ts';
import { listDeliveriesById } from '../../schema/database/webhooks/deliveries.ts';
import { listPostsById } from '../../schema/database/posts/posts.ts';
import { listEventsById } from '../../schema/database/events/list.ts';
import { listReplaysById } from '../../schema/database/webhooks/replays.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import { listWebhooksById } from '../../schema/database/webhooks/webhooks.ts';
import type { Delivery } from '../../schema/deliveries.ts';
import type { RecordedEvent } from '../../schema/events.ts';
import type { Post } from '../../schema/posts/posts.ts';
import type { Replay } from '../../schema/replays.ts';
import type { Webhook } from '../../schema/webhooks.ts';
import { presentAccount } from '../accounts/presenter.ts';
import type { Context } from '../server/context.ts';
import { presentDelivery } from '../deliveries/presenter.ts';
import { presentEvent } from '../events/presenter.ts';
import { presentPost } from '../posts/presenter.ts';
import { presentReplays } from '../replays/operations.ts';
import { presentWebhook } from '../webhooks/presenter.ts';

/** With a key of this environment. */
type Read<T> = (change: ChangeRow, environment: KeyEnvironment) => Promise<T | null>;

/** The subject as it is when the change is sent, which may be later. Null: gone, or not for this key. */
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
    account: shareReads(async (scope, ids) =>
      (await listAccountsById(db, scope, ids)).map(presentAccount),
    ),
    delivery: shareReads(async (scope, ids) =>
      (await listDeliveriesById(db, scope, ids)).map(presentDelivery),
    ),
    event: shareReads(async (scope, ids) =>
      (await listEventsById(db, scope, ids)).map(presentEvent),
    ),
    post: shareReads(async (scope, ids) =>
      (await listPostsById(db, scope, ids)).map(({ post, results }) =>
        presentPost(context, post, results),
      ),
    ),
    replay: shareReads(async (scope, ids) =>
      presentReplays(db, await listReplaysById(db, scope, ids)),
    ),
    webhook: shareReads(async (scope, ids) =>
      (await listWebhooksById(db, scope, ids)).map(presentWebhook),
    ),
  };
}

/** Of each kind, for the streams that are told in the same moment: later ones see what has come since. */
const kept = { max: 500, ttl: 1_000 } as const;

/** One query for the changes that arrive together; its answers are kept for the streams behind. */
function shareReads<T extends { id: string }>(
  readAll: (scope: RowScope, ids: string[]) => Promise<T[]>,
): Read<T> {
  const known = new LRUCache<string, Promise<T | null>>(kept);
  const waiting = new Map<string, { ids: Set<string>; found: Promise<Map<string, T>> }>();

  async function readWaiting(scope: RowScope, ids: Set<string>): Promise<Map<string, T>> {
    await new Promise((resolve) => setImmediate(resolve));
    waiting.delete(nameOf(scope));
    return new Map((await readAll(scope, [...ids])).map((subject) => [subject.id, subject]));
  }

  function readLater(scope: RowScope) {
    const ids = new Set<string>();
    const read = { ids, found: readWaiting(scope, ids) };
    waiting.set(nameOf(scope), read);
    return read;
  }

  return ({ id, project_id: projectId, subject_id: subjectId }, environment) => {
    const key = `${id}/${environment}`;
    const present = known.get(key);
    if (present) return present;
    const scope = { projectId, environment };
    const { ids, found } = waiting.get(nameOf(scope)) ?? readLater(scope);
    ids.add(subjectId);
    const subject = found.then((subjects) => subjects.get(subjectId) ?? null);
    known.set(key, subject);
    subject.catch(() => known.delete(key));
    return subject;
  };
}

const nameOf = ({ projectId, environment }: RowScope) => `${projectId}/${environment}`;
