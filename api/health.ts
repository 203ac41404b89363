// Whether this process lives, and whether the whole installation can do its work.
import { sql } from 'kysely';
import { within } from '../activities/within.ts';
import { isMigrated } from '../schema/database/migrate.ts';
import type { Context } from './context.ts';
import type { PublicPage } from './public-page.ts';

const checkTimeoutMs = 2_000;
/** A worker's poll lasts up to a minute, so a living one was seen within this. */
const pollerSeenWithinMs = 90_000;

const checks = {
  async database({ db }: Context): Promise<boolean> {
    await sql`select 1`.execute(db);
    return true;
  },

  migrations({ db }: Context): Promise<boolean> {
    return isMigrated(db);
  },

  async temporal({ temporal }: Context): Promise<boolean> {
    const { connection } = temporal;
    const deadline = Date.now() + checkTimeoutMs;
    await connection.withDeadline(deadline, () => connection.workflowService.getSystemInfo({}));
    return true;
  },

  async worker({ temporal, config }: Context): Promise<boolean> {
    const { connection } = temporal;
    const { pollers } = await connection.withDeadline(Date.now() + checkTimeoutMs, () =>
      connection.workflowService.describeTaskQueue({
        namespace: config.temporal.namespace,
        taskQueue: { name: config.temporal.taskQueue },
      }),
    );
    const since = Date.now() - pollerSeenWithinMs;
    return (pollers ?? []).some((poller) => Number(poller.lastAccessTime?.seconds) * 1000 > since);
  },
};

type Part = keyof typeof checks;

/** The parts that are missing; none: ready. */
async function findMissing(context: Context): Promise<Part[]> {
  const parts = Object.keys(checks) as Part[];
  const isUp = await Promise.all(parts.map((part) => answersYes(checks[part](context))));
  return parts.filter((_, i) => !isUp[i]);
}

async function answersYes(check: Promise<boolean>): Promise<boolean> {
  const isUp = check.catch(() => false);
  return (await within(checkTimeoutMs, isUp)) ?? false;
}

export const healthPages: PublicPage[] = [
  { path: '/healthz', respond: (_, c) => c.json({ status: 'ok' }) },
  {
    path: '/readyz',
    async respond(context, c) {
      const missing = await findMissing(context);
      if (missing.length === 0) return c.json({ status: 'ready', missing });
      c.header('Retry-After', '2');
      return c.json({ status: 'not_ready', missing }, 503);
    },
  },
];
