// Prunes media: marks unused media as deleted, removes the bytes of deleted media, and then removes their
// rows.
import type { Logger } from 'pino';
import { removeBytes } from '../media/segments.ts';
import type { MediaStorage } from '../media/store/store.ts';
import {
  deleteUnusedMedia,
  listMediaToEmpty,
  removeEmptiedMedia,
  type PrunedMedia,
} from '../../schema/database/media/pruning.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Db } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';

export interface MediaPruningDependencies {
  db: Db;
  notifier: Notifier;
  /** Undefined: this process has no store. */
  media: MediaStorage | undefined;
  log: Logger;
}

/** Media that no post ever used are kept for a day. */
const orphanMs = 86_400_000;
/** Media are kept this long after their post, so that a failed target can be retried. */
const afterPostMs = 7 * 86_400_000;
const batchSize = 500;
/** A small batch, because each file has many objects. */
const emptyBatchSize = 20;

/** `isLeft`: the time ran out, and another run would find more. */
export async function pruneMedia(
  { db, notifier, media: storage, log }: MediaPruningDependencies,
  { ago, isOver }: { ago: (ms: number) => Date; isOver: () => boolean },
) {
  const times = { createdBefore: ago(orphanMs), concludedBefore: ago(afterPostMs) };
  const marked = await eachBatch(isOver, (after) =>
    inTransaction(db, notifier, (trx) => deleteUnusedMedia(trx, times, after, batchSize)),
  );
  const emptied = storage ? await emptyDeleted(storage) : { media: 0, isLeft: false };
  const removed = await eachBatch(isOver, (after) => removeEmptiedMedia(db, after, batchSize));
  return {
    media: marked.media,
    emptiedMedia: emptied.media,
    removedMedia: removed.media,
    isLeft: marked.isLeft || emptied.isLeft || removed.isLeft,
  };

  async function emptyDeleted({ store }: NonNullable<typeof storage>) {
    let media = 0;
    for (;;) {
      const ids = await listMediaToEmpty(db, emptyBatchSize);
      try {
        for (const id of ids) {
          await removeBytes({ db, store }, id);
          media++;
          if (isOver()) return { media, isLeft: true };
        }
      } catch (error) {
        log.warn({ component: 'retention', err: error }, 'deleted media could not be removed');
        return { media, isLeft: false };
      }
      if (ids.length < emptyBatchSize) return { media, isLeft: false };
    }
  }
}

/** Another run is worthwhile only if this run changed rows. Otherwise, it would check the same rows again. */
async function eachBatch(
  isOver: () => boolean,
  batch: (after: string) => Promise<PrunedMedia>,
): Promise<{ media: number; isLeft: boolean }> {
  let media = 0;
  for (let after: string | null = ''; after !== null;) {
    const pruned: PrunedMedia = await batch(after);
    media += pruned.media;
    after = pruned.after;
    if (after !== null && isOver()) return { media, isLeft: media > 0 };
  }
  return { media, isLeft: false };
}
