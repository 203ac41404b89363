// What the first line of a request asks for, as an address of this server, before anything reads it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { validationError } from '../../schema/wire/errors.ts';
import type { Context } from './context.ts';
import { toErrorAnswer } from '../http/errors.ts';
import { nameRequest } from '../http/request-id.ts';

/** `http://host/v1` asks for `/v1`; what is neither a path nor an address, such as `*`, is nowhere. */
export function toPath(target: string): string {
  if (target.startsWith('/')) return target;
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url ? url.pathname + url.search : `/${target}`;
}

/** Whether the Host header and the path make an address. */
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
  const message = 'names no host that can be';
  const fault = validationError([{ path: 'Host', code: 'invalid_host', message }]);
  const { error } = toErrorAnswer(context, fault);
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
