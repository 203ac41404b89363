// What a GraphQL field is given, and how it names the scope that it asks for.
import { AppError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import { requireScope } from '../http/auth.ts';
import type { Caller, Context } from '../server/context.ts';
import type { KeyWatch } from '../live/key-watch.ts';
import type { Subjects } from '../live/subjects.ts';

export interface GraphqlContext {
  readonly app: Context;
  /** Undefined without a key: the schema can be read, nothing else. */
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** Aborted once nobody waits for an answer any more: the request or the socket is gone. */
  readonly ended?: AbortSignal | undefined;
  /** The request's header, for a mutation that is given no key of its own. */
  readonly idempotencyKey?: string | undefined;
  readonly subjects: Subjects;
  readonly keyWatch: KeyWatch;
}

export function requireCaller({ caller }: GraphqlContext, scope?: Scope): Caller {
  if (!caller) {
    throw new AppError('unauthorized', 'Send an API key.', {
      hint: 'Authorization: Bearer <API_KEY>, or `authorization` in the connection parameters',
    });
  }
  if (scope !== undefined) requireScope(caller, scope);
  return caller;
}
