// The context of a GraphQL field, and its scope check.
import { AppError } from '../../schema/wire/errors.ts';
import type { Scope } from '../../schema/scopes.ts';
import { requireScope } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import type { KeyWatch } from '../live/key-watch.ts';
import type { Messages } from './messages.ts';

export interface GraphqlContext {
  readonly app: Context;
  /** Undefined without an API key, which allows only introspection. */
  readonly caller: Caller | undefined;
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly ended?: AbortSignal | undefined;
  /** The request's header, for a mutation without a key of its own. */
  readonly idempotencyKey?: string | undefined;
  readonly messages: Messages;
  readonly keyWatch: KeyWatch;
}

export function requireCaller({ caller }: GraphqlContext, scope?: Scope): Caller {
  if (!caller) {
    throw new AppError('unauthorized', 'The request needs an API key.', {
      hint: 'Authorization: Bearer <API_KEY>, or `authorization` in the connection parameters',
    });
  }
  if (scope !== undefined) requireScope(caller, scope);
  return caller;
}
