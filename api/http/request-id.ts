// Names each request, so that an answer, a log line and a question to the operator can be matched.
import type { MiddlewareHandler } from 'hono';
import { newId } from '../../schema/wire/ids.ts';

export interface RestEnv {
  Variables: {
    requestId: string;
    /** The path of the route that answers, as it is declared. */
    route?: string;
  };
}

const sane = /^[\w.:-]{1,128}$/;

/** The id that the client gave, if it may stand in a log line, or a new one. */
export function nameRequest(given: string | null | undefined): string {
  return given && sane.test(given) ? given : newId('request');
}

export const requestId: MiddlewareHandler<RestEnv> = async (c, next) => {
  const id = nameRequest(c.req.header('X-Request-Id'));
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  await next();
};
