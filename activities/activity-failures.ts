// Logs and records errors of activities, because Temporal repeats an activity without reporting why.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import {
  recordActivityFailure,
  type ActivityFailure,
} from '../schema/database/dispatch/activity-failures.ts';
import type { Db } from '../schema/database/tables.ts';
import { within } from './within.ts';

/** The wait for the record is short, because the error may come from the database itself. */
const recordWithinMs = 1_000;
const maxCauses = 5;

export function createFailureReporter(dependencies: {
  db: Db;
  log: Logger;
}): ActivityInterceptorsFactory {
  const { db } = dependencies;
  const log = dependencies.log.child({ component: 'worker' });
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (isIntended(error)) throw error;
          const workflowId = info.workflowExecution?.workflowId ?? '';
          const { activityType: activity, activityId: activity_id, attempt } = info;
          const stack = error instanceof Error ? error.stack : undefined;
          const fields = { workflow_id: workflowId, activity, activity_id, attempt };
          log.warn({ ...fields, error: describeError(error), stack }, 'an activity failed');
          await recordFailure(db, { workflowId, activity, error });
          throw error;
        }
      },
    },
  });
}

/** Never rejects, and gives up after a second. */
export async function recordFailure(
  db: Db,
  { error, ...about }: Omit<ActivityFailure, 'error'> & { error: unknown },
): Promise<void> {
  const recorded = recordActivityFailure(db, { ...about, error: describeError(error) });
  await within(recordWithinMs, recorded).catch(() => undefined);
}

/** Keeps only the messages of the error and its causes, because other properties may hold data of a row. */
export function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause !== undefined && texts.length < maxCauses;) {
    const name = cause instanceof Error ? cause.name : typeof cause;
    texts.push(`${name}: ${messageOf(cause)}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return texts.join('; ');
}

/** Whether the worker is stopping, or the activity asked Temporal to run it again later. */
function isIntended(error: unknown): boolean {
  return error instanceof CancelledFailure || error instanceof ApplicationFailure;
}

/** A failed connection to several addresses has a code, but no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code;
}
