// The form of a page that needs no key: health, metrics, documents.
import type { Context as HonoContext } from 'hono';
import type { Context } from '../server/context.ts';
import type { RestEnv } from './request-id.ts';

export interface PublicPage {
  path: string;
  respond(context: Context, c: HonoContext<RestEnv>): Response | Promise<Response>;
}
