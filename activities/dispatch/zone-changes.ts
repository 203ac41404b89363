// Moves scheduled posts to their local time, after zone data have changed.
import type { Logger } from 'pino';
import {
  firstZonedPost,
  isComparisonDue,
  listZonedPosts,
  moveZonedPost,
  setCompared,
  type ZonedPost,
} from '../../schema/database/dispatch/zoned-posts.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Db } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { toInstant } from '../../schema/wire/local-time.ts';

export interface ZoneDependencies {
  db: Db;
  notifier: Notifier;
  config: { previewEvents: boolean };
  log: Logger;
}

/** The zone data of this process. */
export interface ZoneData {
  /** Such as `2026c`. */
  version: string;
  toInstant: typeof toInstant;
}

const ownZoneData: ZoneData = { version: process.versions['tz'] ?? '', toInstant };

/** Data of one version are equal, but an API process with older data may have computed a post since. */
const compareEveryMs = 86_400_000;
const batchSize = 500;
/** The next sweep continues, so that other work of the sweeper waits for seconds only. */
const maxMoved = 200;

export async function followZoneData(
  dependencies: ZoneDependencies,
  isStopped: () => boolean,
  zoneData: ZoneData = ownZoneData,
): Promise<void> {
  const { db, log } = dependencies;
  if (!(await isComparisonDue(db, zoneData.version, compareEveryMs))) return;
  let moved = 0;
  const mustEnd = () => isStopped() || moved === maxMoved;
  for await (const post of zonedPosts(db)) {
    if (mustEnd()) break;
    if (await follow(dependencies, post, zoneData)) moved++;
  }
  if (moved > 0) log.info({ moved }, 'scheduled posts follow the clocks of their zones');
  if (!mustEnd()) await setCompared(db, zoneData.version);
}

async function* zonedPosts(db: Db): AsyncGenerator<ZonedPost, void> {
  for (let after = firstZonedPost; ;) {
    const posts = await listZonedPosts(db, after, batchSize);
    yield* posts;
    if (posts.length < batchSize) return;
    after = posts.at(-1)!;
  }
}

/** Whether the post was moved. Never throws, because one post must not hold up the others. */
async function follow(
  { db, notifier, config, log }: ZoneDependencies,
  post: ZonedPost,
  { toInstant: convert }: ZoneData,
): Promise<boolean> {
  const { local, timezone } = post.schedule;
  try {
    const { at, adjusted } = convert({ local, timezone });
    if (at.getTime() === post.scheduled_at.getTime()) return false;
    const moved = { at, schedule: { local, timezone, adjusted } };
    return await inTransaction(db, notifier, (trx) => moveZonedPost(trx, post, moved, config));
  } catch (err) {
    log.warn({ err, post_id: post.id }, 'a scheduled post could not follow the clocks of its zone');
    return false;
  }
}
