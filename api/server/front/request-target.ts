// The target in the first line of an HTTP request, checked before any handler reads it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { validationError } from '../../../schema/wire/errors.ts';
import type { Context } from '../../http/context.ts';
import { toErrorAnswer } from '../../http/errors.ts';
import { nameRequest } from '../../http/request-id.ts';

/** `http://host/v1` becomes `/v1`. Other targets, such as `*`, become a path that doesn't exist. */
export function toPath(target: string): string {
  if (target.startsWith('/')) return target;
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url ? url.pathname + url.search : `/${target}`;
}

/** Whether the Host header and the path form a valid URL. */
export function hasAddress({ headers, url }: IncomingMessage): boolean {
  return URL.canParse(`http://${headers.host ?? 'localhost'}${url}`);
}

export function refuseAddress(
  context: Pick<Context, 'publicUrl'>,
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const given = headers['x-request-id'];
  const requestId = nameRequest(typeof given === 'string' ? given : null);
  const message = 'must be a valid host';
  const refusal = validationError([{ path: ['Host'], code: 'invalid_host', message }]);
  const { error } = toErrorAnswer(context, refusal);
  const body = JSON.stringify({ error, request_id: requestId });
  outgoing
    .writeHead(400, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      Connection: 'close',
    })
    .end(body);
}
