// Logs and records why an activity threw: Temporal repeats it without a word to the operator.
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Logger } from 'pino';
import { recordActivityFailure } from '../schema/database/dispatch/activity-failures.ts';
import type { Db } from '../schema/database/tables.ts';
import { within } from './within.ts';

/** The database may be what fails. */
const recordWithinMs = 1_000;
const maxCauses = 5;

export function createFailureReporter(dependencies: {
  db: Db;
  log: Logger;
}): ActivityInterceptorsFactory {
  const { db, log } = dependencies;
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (isMeant(error)) throw error;
          const workflowId = info.workflowExecution?.workflowId ?? '';
          const { activityType: activity, activityId: activity_id, attempt } = info;
          const cause = describeError(error);
          const stack = error instanceof Error ? error.stack : undefined;
          log.warn(
            { workflow_id: workflowId, activity, activity_id, attempt, error: cause, stack },
            'activity failed',
          );
          const failure = { workflowId, activity, error: cause };
          await within(
            recordWithinMs,
            recordActivityFailure(db, failure).catch(() => undefined),
          );
          throw error;
        }
      },
    },
  });
}

/** The error and its causes, by their messages alone: other properties may hold what a row holds. */
export function describeError(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause !== undefined && texts.length < maxCauses;) {
    texts.push(`${nameOf(cause)}: ${messageOf(cause)}`);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return texts.join('; ');
}

/** The worker is stopping, or the activity asked to be repeated later. */
function isMeant(error: unknown): boolean {
  return error instanceof CancelledFailure || error instanceof ApplicationFailure;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Node gives the errors of a failed connection a code, and their collection no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message || code;
}
