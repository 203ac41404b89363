// Gives each request an ID, for its response and its log lines.
import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { newId } from '../../schema/wire/ids.ts';

export interface RestEnv {
  Bindings: {
    /** Node's own request. Absent if the app is called without a server. */
    req?: IncomingMessage;
    /** Whether the rate limit has counted the call already. */
    isCounted?: boolean;
  };
  Variables: {
    requestId: string;
    /** The declared path of the route. */
    route?: string;
  };
}

const sane = /^[\w.:-]{1,128}$/;

/** The client's own ID if it is safe in a log line, or a new one. */
export function nameRequest(given: string | null | undefined): string {
  return given && sane.test(given) ? given : newId('request');
}

export const requestId: MiddlewareHandler<RestEnv> = async (c, next) => {
  const id = nameRequest(c.req.header('X-Request-Id'));
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  await next();
};
