// Who calls a tool, and how the tool reaches the REST API on behalf of that caller.
import type { Scope } from '../../schema/scopes.ts';
import type { ErrorObject } from '../../schema/wire/error-object.ts';
import type { KeyedLimit } from '../../activities/keyed-limits.ts';
import type { Waits } from './waits.ts';

export interface RestRequest {
  method: string;
  /** Path and query. */
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

export interface RestAnswer {
  /** Undefined: the call succeeded. */
  error: ErrorObject | undefined;
  /** The JSON of the answer, without the error. */
  body: Readonly<Record<string, unknown>>;
  isReplayed: boolean;
}

export interface Agent {
  /** ID of its API key. */
  readonly keyId: string;
  readonly projectId: string;
  readonly scopes: readonly Scope[];
  readonly waits: Waits;
  /** Runs the changes of a post's media one after the other. */
  readonly mediaInTurn: KeyedLimit;
  /** Calls the REST API with the key of the caller. */
  ask(request: RestRequest): Promise<RestAnswer>;
  /** The error as the API shows it. Logs and masks an unexpected one. */
  toError(thrown: unknown): ErrorObject;
}

/** A failed call of the API inside a tool that makes several. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly error: ErrorObject;

  constructor(error: ErrorObject) {
    super(error.message);
    this.error = error;
  }
}

/** The body of a call. Throws CallFailed. */
export async function askOrFail(
  agent: Agent,
  request: RestRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { error, body } = await agent.ask(request);
  if (error) throw new CallFailed(error);
  return body;
}
