// The built-in test network. It has its own tables and pages, and Fanfare reaches it only over HTTP.
import { Hono } from 'hono';
import { except } from 'hono/combine';
import type { Logger } from 'pino';
import type { Db } from '../../schema/database/tables.ts';
import { limitBody } from '../http/body.ts';
import { createConsent } from './consent.ts';
import { createInbox } from './inbox.ts';
import { createMediaFiles } from './media-files.ts';
import { createNetwork } from './network.ts';
import { createPostPages } from './post-pages.ts';
import { Refusal } from './refusal.ts';

export interface SandboxSettings {
  db: Db;
  /** The base URL that browsers use, without a slash at the end. */
  publicUrl: string;
  log: Logger;
}

const maxBodyBytes = 1_048_576;
const tooLarge = new Refusal(413, 'too_large', 'The body is too large.');
const cutOff = new Refusal(400, 'invalid_request', 'The body ended early.');

/** Expects full paths, starting with `/sandbox`. `env.req` is Node's request. */
export function createSandbox(settings: SandboxSettings): Hono {
  const app = new Hono().basePath('/sandbox');
  const limit = limitBody(maxBodyBytes, (_, { code }) =>
    (code === 'payload_too_large' ? tooLarge : cutOff).toResponse(),
  );
  // Parts of media are larger, but are never in memory as a whole.
  app.use(except('/sandbox/api/media/:id', limit));
  app.get('/', (c) => c.redirect('/sandbox/posts'));
  app.route('/api', createNetwork(settings));
  app.route('/posts', createPostPages(settings));
  app.route('/media', createMediaFiles(settings));
  app.route('/consent', createConsent(settings));
  app.route('/inbox', createInbox());
  app.notFound(() =>
    new Refusal(404, 'not_found', 'The sandbox has nothing at this path.').toResponse(),
  );
  app.onError((error) => {
    if (error instanceof Refusal) return error.toResponse();
    settings.log.error({ component: 'sandbox', err: error }, 'the sandbox failed');
    return new Refusal(500, 'internal', 'The sandbox failed.').toResponse();
  });
  return app;
}
