// The target in the first line of an HTTP request, checked before any handler reads it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { validationError } from '../../../schema/wire/errors.ts';
import type { Context } from '../../http/context.ts';
import { toErrorResponse } from '../../http/errors.ts';
import { nameRequest } from '../../http/request-id.ts';

/** `http://host/v1` becomes `/v1`. Other targets, such as `*`, become a path that doesn't exist. */
export function toPath(target: string): string {
  if (target.startsWith('/')) return target;
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url ? url.pathname + url.search : `/${target}`;
}

/** Whether the Host header is a host, with or without its port, and forms a valid URL with the path. */
export function hasAddress({ headers, url }: IncomingMessage): boolean {
  const { host = 'localhost' } = headers;
  return !/[/?#@\\]/.test(host) && URL.canParse(`http://${host}${url}`);
}

export function refuseAddress(
  context: Pick<Context, 'log' | 'publicUrl'>,
  { headers: given }: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const message = 'must be a valid host';
  const refusal = validationError([{ path: ['Host'], code: 'invalid_host', message }]);
  const requestId = nameRequest(given['x-request-id']?.toString());
  const { headers, body } = toErrorResponse(context, refusal, requestId);
  outgoing.writeHead(400, { ...headers, Connection: 'close' }).end(body);
}
