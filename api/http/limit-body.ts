// Limits the bodies of requests to hosted pages and the sandbox. Hono's own limit fails without a
// Content-Length here.
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { AppError } from '../../schema/wire/errors.ts';
import { readBody } from './body.ts';

/** Handlers of POST and PUT get a request whose body has been read. */
export function limitBody(
  maxBytes: number,
  onError: (c: HonoContext, error: AppError) => Response | Promise<Response>,
): MiddlewareHandler {
  return async (c, next) => {
    const { url, method, headers, body } = c.req.raw;
    if (!body || !/^(POST|PUT)$/.test(method)) return next();
    try {
      const bytes = new Uint8Array(await readBody(c.req.raw, maxBytes));
      c.req.raw = new Request(url, { method, headers, body: bytes });
    } catch (error) {
      if (error instanceof AppError) return onError(c, error);
      throw error;
    }
    return next();
  };
}
