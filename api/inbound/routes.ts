// The routes that networks call about users of an app, and the page of a data deletion.
import { createHmac } from 'node:crypto';
import { Hono, type Context as HonoContext } from 'hono';
import { findAppByInboundKey, openApp } from '../../schema/database/accounts/apps.ts';
import type { NetworkUser } from '../../schema/database/accounts/network-users.ts';
import type { PlatformAppRow } from '../../schema/database/tables.ts';
import type { PlatformDefinition } from '../../schema/platforms/definition.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { respondError } from '../http/errors.ts';
import { limitBody } from '../http/body.ts';
import { notFoundPage, wantsPage } from '../http/pages/not-found.ts';
import { textsOf } from '../http/pages/texts.ts';
import { countRequest } from '../http/rate-limit.ts';
import { deleteUserData } from './data-deletion.ts';
import { deauthorize } from './deauthorize.ts';
import { showDeletion } from './deletion-page.ts';
import { findSignedRequest, readSignedRequest, type SignatureIssue } from './signed-request.ts';
import { publishIdOf, readTikTokEvent } from './tiktok-event.ts';
import { wakePost } from './wake-post.ts';

const maxBodyBytes = 16_384;
const keyPattern = /^[0-9a-f]{32}$/;

/** The network's clock may be behind ours, and its times have no milliseconds. */
const toleranceMs = 30_000;

const issueMessages: Record<SignatureIssue, string> = {
  required: 'is required',
  invalid_signature: "is not signed with the app's secret",
  expired: 'was issued too long ago, or in the future',
};

/** A call of a network about one user. */
interface Call {
  user: NetworkUser;
  /** The code of a data deletion. A repeated call has the same code. */
  code: string;
}

/** Expects full paths. */
export function createInboundRoutes(context: Context): Hono {
  const refuse = (c: HonoContext, error: unknown) => respondError(context, c.req.raw, error);

  const app = new Hono();
  app.use('/inbound/*', limitBody(maxBodyBytes, refuse));

  app.post('/inbound/meta/:key/deauthorize', async (c) => {
    const { user } = await readCall(c.req.param('key'), await c.req.text());
    await deauthorize(context, user);
    return c.json({ success: true });
  });

  app.post('/inbound/meta/:key/data-deletion', async (c) => {
    const { user, code } = await readCall(c.req.param('key'), await c.req.text());
    await deleteUserData(context, user, code);
    return c.json({ url: `${context.publicUrl}/data-deletion/${code}`, confirmation_code: code });
  });

  app.post('/inbound/tiktok/:key', async (c) => {
    const body = await c.req.text();
    await takeEvent(c.req.param('key'), c.req.header('TikTok-Signature'), body);
    return c.json({});
  });

  app.get('/data-deletion/:code', (c) => showDeletion(context, textsOf(c), c.req.param('code')));

  app.notFound((c) => {
    if (wantsPage(c)) return notFoundPage(c);
    return refuse(c, new AppError('not_found', 'There is nothing at this path.'));
  });
  app.onError((error, c) => refuse(c, error));

  async function readCall(key: string, body: string): Promise<Call> {
    const called = await findApp(key, 'meta');
    const secret = openApp(context.vault, called).clientSecret ?? '';
    const signed = requireSigned(
      called,
      'signed_request',
      readSignedRequest(findSignedRequest(body), secret),
    );
    const madeBefore = new Date(signed.issuedAtMs + toleranceMs);
    const user = { app: called, userId: signed.userId, madeBefore };
    return { user, code: toCode(secret, called.id, signed.payload) };
  }

  /**
   * Ends the logins of a user who removed the app. An event about a post only wakes its poll, because Fanfare goes by
   * the status that TikTok answers.
   */
  async function takeEvent(key: string, header: string | undefined, body: string): Promise<void> {
    const called = await findApp(key, 'tiktok');
    const event = requireSigned(
      called,
      'TikTok-Signature',
      readTikTokEvent(header, body, openApp(context.vault, called)),
    );
    const madeBefore = new Date(event.create_time * 1_000 + toleranceMs);
    const user = { app: called, userId: event.user_openid, madeBefore };
    if (event.event === 'authorization.removed') await deauthorize(context, user);
    const publishId = publishIdOf(event);
    if (publishId !== undefined) await wakePost(context, user, publishId);
  }

  /** Throws unless the call is signed. `field`: where the signature is. */
  function requireSigned<T extends object>(
    { id }: PlatformAppRow,
    field: string,
    signed: T | SignatureIssue,
  ): T {
    const isRefused = typeof signed === 'string';
    // Refused calls have a bucket of their own: calls that anyone may send must not use up the limit of the
    // network or of the project.
    countRequest(context, { projectId: `inbound/${id}${isRefused ? '/refused' : ''}` });
    if (!isRefused) return signed;
    const code: SignatureIssue = signed;
    context.log.info({ component: 'inbound', app_id: id, code }, 'a call of a network was refused');
    throw validationError([{ path: [field], code, message: issueMessages[code] }]);
  }

  async function findApp(
    key: string,
    callbacks: NonNullable<PlatformDefinition['userCallbacks']>,
  ): Promise<PlatformAppRow> {
    const called = keyPattern.test(key) ? await findAppByInboundKey(context.db, key) : undefined;
    const definition = platformDefinitions.find(({ name }) => name === called?.platform);
    if (called && definition?.userCallbacks === callbacks) return called;
    throw new AppError('not_found', 'No app has this address.');
  }
  return app;
}

/**
 * A code of 128 bits that nobody can guess without the secret. Two projects may have the same app of the
 * network, so the code depends on the ID of our row.
 */
function toCode(secret: string, appId: string, payload: string): string {
  const mac = createHmac('sha256', secret).update(`data-deletion.${appId}.${payload}`);
  return mac.digest('hex').slice(0, 32);
}
