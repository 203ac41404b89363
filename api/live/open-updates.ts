// Opens the stream of a subscription: what it must name is known and allowed, and where it begins.
import { presentState } from '../../schema/change-kinds.ts';
import { isDeletionKept } from '../../schema/database/live/changes.ts';
import type { ChangeSubject } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import { requireScope } from '../http/auth.ts';
import type { Caller, Context } from '../server/context.ts';
import { requireCaller, type GraphqlContext } from '../graphql/context.ts';
import { readId } from '../graphql/operation.ts';
import { Updates, type SubjectReading, type Update } from './updates.ts';

type Get<T> = (this: void, context: Context, caller: Caller, id: string) => Promise<T>;

/** Something of the project that a stream is about; `get` throws where it is another's. */
export interface OwnSubject<T> {
  /** What the key needs to be told whether there is such a thing. */
  scope: Scope;
  subject: ChangeSubject;
  id: string | null | undefined;
  get: Get<T>;
}

export interface UpdatesOptions<T> extends OwnSubject<T>, SubjectReading<T> {
  after: string | null | undefined;
  /** What else must be the project's own, since the subscription asks for what belongs to it. */
  within?: readonly OwnSubject<unknown>[];
  /** Where no id is given: what the stream begins with, if anything. */
  findPresent?: ((context: Context, caller: Caller) => Promise<T | undefined>) | undefined;
}

export async function openUpdates<T extends { id: string }>(
  graphql: GraphqlContext,
  options: UpdatesOptions<T>,
): Promise<AsyncIterable<Update<T>>> {
  const { app } = graphql;
  const { subject, id, within = [], after, isWanted = () => true } = options;
  const caller = requireCaller(graphql, options.scope);
  const filter = { projectId: caller.projectId, subject, subjectId: id ?? undefined };
  for (const named of within) {
    if (typeof named.id === 'string') requireScope(caller, named.scope);
    await requireKnown(app, caller, named, after);
  }
  if (typeof after === 'string') {
    await requireKnown(app, caller, options, after);
    const stream = await app.feed.subscribe({ ...filter, after });
    return new Updates(graphql, caller, stream, options);
  }
  const findPresent = presentOf(options);
  if (!findPresent) {
    return new Updates(graphql, caller, await app.feed.subscribe(filter), options);
  }
  const { cursor, state } = await app.feed.readPresent((db) => findPresent({ ...app, db }, caller));
  const stream = await app.feed.subscribe({ ...filter, after: cursor });
  if (!state || !isWanted(state)) return new Updates(graphql, caller, stream, options);
  const first = { cursor, change: presentState, id: state.id, subject: state };
  return new Updates(graphql, caller, stream, options, first);
}

function presentOf<T>({ subject, id, get, findPresent }: UpdatesOptions<T>) {
  if (typeof id !== 'string') return findPresent;
  return (context: Context, caller: Caller) => get(context, caller, readId(subject, id));
}

/** What is resumed may be gone by now: its end is then among the changes that are told. */
async function requireKnown(
  app: Context,
  caller: Caller,
  { subject, id, get }: OwnSubject<unknown>,
  after: string | null | undefined,
): Promise<void> {
  if (typeof id !== 'string') return;
  const subjectId = readId(subject, id);
  try {
    await get(app, caller, subjectId);
  } catch (error) {
    const isGone =
      typeof after === 'string' &&
      error instanceof AppError &&
      error.code === 'not_found' &&
      (await isDeletionKept(app.db, caller, subject, subjectId));
    if (!isGone) throw error;
  }
}
