// Calls of the REST API by tools: in this process, or over HTTP.
import type { ErrorObject } from '../../schema/wire/error-object.ts';
import type { RestAnswer, RestRequest } from './agent.ts';

type Send = (request: Request) => Response | Promise<Response>;

/** `authorization`: the header of the caller. */
export function createRestCalls(send: Send, url: string, authorization: string) {
  return async function ask({
    method,
    path,
    body,
    idempotencyKey,
  }: RestRequest): Promise<RestAnswer> {
    const headers = new Headers({ Authorization: authorization });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await send(new Request(`${url}${path}`, { method, headers, body: text }));
    const isReplayed = response.headers.get('Idempotency-Replayed') === 'true';
    const { error, ...answer } = (await response.json()) as { error?: ErrorObject };
    return { error, body: answer, isReplayed };
  };
}
