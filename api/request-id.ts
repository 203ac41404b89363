// Names each request, so that an answer, a log line and a question to the operator can be matched.
import type { MiddlewareHandler } from 'hono';
import { newId } from '../schema/ids.ts';

export interface RestEnv {
  Variables: {
    requestId: string;
    /** The path of the route that answers, as it is declared. */
    route?: string;
  };
}

const sane = /^[\w.:-]{1,128}$/;

export const requestId: MiddlewareHandler<RestEnv> = async (c, next) => {
  const given = c.req.header('X-Request-Id');
  const id = given !== undefined && sane.test(given) ? given : newId('request');
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  await next();
};
