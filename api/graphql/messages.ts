// The messages of live streams. All streams that send the same message share one object.
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { system, type Actor } from '../../schema/wire/actors.ts';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import { bookmark } from '../../schema/change-kinds.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { Context } from '../http/context.ts';
import type { FeedItem } from '../live/recent.ts';

export interface Message<T> {
  cursor: string;
  change: string;
  /** ID of the subject, also after its deletion. Null in a bookmark. */
  id: string | null;
  /** ID of the result that has changed. Null: the change concerns no result. */
  resultId: string | null;
  /** Null in a message without a change. */
  actor: Actor | null;
  /**
   * The subject when the message is sent. Null: the subject is deleted or hidden from the key, or the message
   * is a bookmark.
   */
  subject: T | null;
}

interface Subject {
  id: string;
}

/** The subjects with these ids that are in the scope, in any order. */
export type FindSubjects<T> = (
  this: void,
  context: Context,
  scope: RowScope,
  ids: string[],
) => Promise<T[]>;

export interface Messages {
  read<T extends Subject>(
    item: FeedItem,
    environment: KeyEnvironment,
    find: FindSubjects<T>,
  ): Promise<Message<T>>;
}

/** Messages are kept only briefly, so that later streams show newer subjects. */
const kept = { max: 3_000, ttl: 1_000 } as const;

export function createMessages(context: Context): Messages {
  const messages = new LRUCache<string, Promise<Message<Subject>>>(kept);
  const loaders = new LRUCache<string, DataLoader<string, Subject | null>>(kept);

  /** One query reads the subjects of all changes that arrive together. */
  function createLoader(scope: RowScope, find: FindSubjects<Subject>) {
    return new DataLoader<string, Subject | null>(
      async (ids) => {
        const found = await find(context, scope, [...new Set(ids)]);
        const byId = new Map(found.map((subject) => [subject.id, subject]));
        return ids.map((id) => byId.get(id) ?? null);
      },
      { cache: false, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
    );
  }

  async function readMessage(
    { cursor, change }: FeedItem,
    environment: KeyEnvironment,
    find: FindSubjects<Subject>,
  ): Promise<Message<Subject>> {
    if (!change) {
      return { cursor, change: bookmark, id: null, resultId: null, actor: null, subject: null };
    }
    const { kind, project_id: projectId, subject, subject_id: id, result_id: resultId } = change;
    const actor = change.actor ?? system;
    const key = `${subject}/${projectId}/${environment}`;
    const loader = loaders.get(key) ?? createLoader({ projectId, environment }, find);
    loaders.set(key, loader);
    return { cursor, change: kind, id, resultId, actor, subject: await loader.load(id) };
  }

  return {
    read<T extends Subject>(
      item: FeedItem,
      environment: KeyEnvironment,
      find: FindSubjects<T>,
    ): Promise<Message<T>> {
      // A bookmark may have the same cursor as a change, even of another project.
      const key = `${item.cursor}/${item.change?.id ?? bookmark}/${environment}`;
      const known = messages.get(key);
      if (known) return known as Promise<Message<T>>;
      const message = readMessage(item, environment, find);
      messages.set(key, message);
      message.catch(() => messages.delete(key));
      return message as Promise<Message<T>>;
    },
  };
}
