// Subscriptions: the changes of one subject type as messages `{cursor, change, id, …subject}`.
import type { InputFieldMap, InputShapeFromFields } from '@pothos/core';
import {
  bookmark,
  changeKinds,
  presentState,
  type ChangeSubject,
} from '../../schema/change-kinds.ts';
import { isDeletionKept } from '../../schema/database/live/changes.ts';
import type { Scope } from '../../schema/scopes.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { builder, operationCost } from './builder.ts';
import type { Ref } from './connections.ts';
import { requireCaller, type GraphqlContext } from './context.ts';
import type { FindSubjects, Message } from './messages.ts';
import { read, readId } from './operation.ts';
import { ActorRef } from './shapes.ts';
import { readUpdates, type Update } from './updates.ts';

type Find<T> = (context: Context, caller: Caller) => Promise<T | undefined>;

/** A resource that an argument names. `get` throws for a resource of another project. */
interface Named {
  scope: Scope;
  subject: ChangeSubject;
  id: string | null | undefined;
  get(this: void, context: Context, caller: Caller, id: string): Promise<unknown>;
}

/** The members that a subject must have. Null or undefined: any value. A list: one of its values. */
type Match<T> = { [Member in keyof T]?: T[Member] | readonly T[Member][] | null | undefined };

interface SubscriptionOptions<T, Filters extends InputFieldMap> {
  description: string;
  subject: ChangeSubject;
  type: Ref<T>;
  scope: Scope;
  find: FindSubjects<T>;
  /** Present: the subscription takes an `id`, and begins with the current state of that subject. */
  get?(this: void, context: Context, caller: Caller, id: string): Promise<T>;
  filters?: Filters;
  match?(this: void, filters: InputShapeFromFields<Filters>): Match<T>;
  /** The other resources that the filters name. */
  named?(this: void, filters: InputShapeFromFields<Filters>): Named[];
  /** The state with which a stream without an `id` begins, if any. */
  present?(this: void, filters: InputShapeFromFields<Filters>): Find<T> | undefined;
}

interface Arguments {
  id?: string | null;
  after?: string | null;
}

/** `postUpdated(id: "post_…", after: "…") { cursor change postId post { … } }` */
export function subscriptionOf<T extends { id: string }, Filters extends InputFieldMap>(
  name: string,
  options: SubscriptionOptions<T, Filters>,
): void {
  const { description, subject, type, get, filters } = options;
  const Update = updateOf(subject, type);
  builder.subscriptionField(name, (t) =>
    t.field({
      type: Update,
      nullable: true,
      description,
      complexity: operationCost,
      args: {
        ...(get && { id: t.arg.id({ description: `Only this ${subject}.` }) }),
        ...filters,
        after: t.arg.string({
          description:
            '`cursor` of an earlier message. The stream starts with every change since then.',
        }),
      },
      subscribe: (_, args, graphql) => open(graphql, options, args as never),
      resolve: showUpdate,
    }),
  );
}

function updateOf<T>(subject: ChangeSubject, type: Ref<T>): Ref<Message<T>> {
  const kinds = changeKinds[subject].map((kind) => `\`${kind}\``).join(', ');
  const name = `${subject[0]!.toUpperCase()}${subject.slice(1)}Update`;
  // Deleted media keep a status.
  const absence = subject === 'media' ? 'in a bookmark' : 'after its deletion and in a bookmark';
  return builder.objectRef<Message<T>>(name).implement({
    description: 'A message of a live stream.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Cursor of the message. Pass it as `after` to resume from here.',
      }),
      change: t.exposeString('change', {
        description: `Type of the change: ${kinds}. A message with \`${presentState}\` shows the current state. A message with \`${bookmark}\` has only a newer cursor.`,
      }),
      // Named after the subject, because caches like Relay's take two objects with one `id` for the same
      // object.
      [`${subject}Id`]: t.exposeID('id', {
        nullable: true,
        description: `ID of the ${subject}, even after its deletion. Null in a bookmark.`,
      }),
      ...(subject === 'post' && {
        resultId: t.exposeID('resultId', {
          nullable: true,
          description:
            'ID of the result, or of the first comment, that a `result.…` change is about. Null for every other change.',
        }),
        actor: t.expose('actor', {
          type: ActorRef,
          nullable: true,
          description: `Who made the change. Null for \`${presentState}\` and \`${bookmark}\`.`,
        }),
      }),
      [subject]: t.field({
        type,
        nullable: true,
        description: `The ${subject}, as it was when the message was sent. Null ${absence}.`,
        resolve: (message): never => message.subject as never,
      }),
    }),
  });
}

/** A broken stream ends with a message that is an error. */
function showUpdate<T>(update: Update<T>): Message<T> {
  if ('failure' in update) throw update.failure;
  return update;
}

async function open<T extends { id: string }, Filters extends InputFieldMap>(
  graphql: GraphqlContext,
  { subject, scope, find, get, match, named, present }: SubscriptionOptions<T, Filters>,
  args: Arguments & InputShapeFromFields<Filters>,
): Promise<AsyncIterable<Update<T>>> {
  const { app } = graphql;
  const { id, after } = args;
  const caller = requireCaller(graphql, scope);
  const isWanted = match && wanted(match(args));
  for (const other of named?.(args) ?? []) {
    if (typeof other.id === 'string') requireScope(caller, other.scope);
    await requireKnown(app, caller, other, after);
  }
  const filter = { projectId: caller.projectId, subject, subjectId: id ?? undefined };
  const begin = async (cursor?: string, first?: Message<T>) => {
    const stream = await app.feed.subscribe({ ...filter, after: cursor });
    return readUpdates(graphql, caller, stream, { find, isWanted }, first);
  };
  if (typeof after === 'string') {
    if (get) await requireKnown(app, caller, { scope, subject, id, get }, after);
    return begin(after);
  }
  const findPresent: Find<T> | undefined =
    get && typeof id === 'string'
      ? (context) => get(context, caller, readId(subject, id))
      : present?.(args);
  if (!findPresent) return begin();
  const { cursor, state } = await app.feed.readPresent((db) => findPresent({ ...app, db }, caller));
  if (!state || isWanted?.(state) === false) return begin(cursor);
  const { id: subjectId } = state;
  const first = {
    cursor,
    change: presentState,
    id: subjectId,
    resultId: null,
    actor: null,
    subject: state,
  };
  return begin(cursor, first);
}

/** Undefined: the stream shows every subject. */
function wanted<T>(match: Match<T>): ((subject: T) => boolean) | undefined {
  const members = Object.keys(match) as (keyof T)[];
  const given = members.filter((member) => (match[member] ?? null) !== null);
  if (given.length === 0) return undefined;
  return (subject) =>
    given.every((member) => [match[member]].flat().some((value) => value === subject[member]));
}

/**
 * Throws unless the caller can see the subject. A resumed stream may also be about a deleted subject, because
 * the deletion is one of its changes.
 */
async function requireKnown(
  app: Context,
  caller: Caller,
  { subject, id, get }: Named,
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

builder.queryField('liveCursor', (t) =>
  t.string({
    nullable: true,
    description:
      'Get the current position of the live streams. To miss no change, get it before you read the state, then pass it as `after`.',
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, async ({ feed }) => {
        const { cursor } = await feed.readPresent(() => Promise.resolve());
        return cursor;
      }),
  }),
);
