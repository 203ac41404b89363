// The login at the simulated Threads: the forms of its errors, and what it says of a token.
// By https://developers.facebook.com/docs/threads/reference/debug, read on 2026-11-26.
import { z } from 'zod';
import { dayMs, LongLivedLogins, ofApp } from '../meta/logins.ts';
import type { GraphRefusal } from '../meta/refusals.ts';
import type { Parameters } from '../meta/requests.ts';
import { apiError, noPermission } from './refusals.ts';

const AppTokenRequest = z.strictObject({ ...ofApp, grant_type: z.literal('client_credentials') });

export class ThreadsLogins extends LongLivedLogins {
  /** The form of the error for a bad token. */
  errorForm: 'graph' | 'api' = 'graph';
  /** The user is not a tester of the app, and only a tester's token can inspect a token. */
  inspectsNone = false;

  constructor(userId: string) {
    const scopes = [
      'threads_basic',
      'threads_content_publish',
      'threads_manage_replies',
      'threads_read_replies',
    ];
    super({ userId, prefix: 'th', scopes, moreScopes: ['threads_delete'] });
  }

  protected override refuseToken(subcode: number, message: string): GraphRefusal {
    return this.errorForm === 'api' ? apiError(190, message) : super.refuseToken(subcode, message);
  }

  protected lacksScope(scope: string): GraphRefusal {
    if (scope !== 'threads_basic') return noPermission();
    const message =
      'This action requires the threads_basic permission. You must submit for app review, or your user must be in the list of Threads testers.';
    return apiError(100, message, { status: 400, subcode: 10 });
  }

  /** Shows the ID of the user as a number, as documented. */
  protected showShort(token: string): Response {
    const body = `{"access_token":"${token}","user_id":${this.settings.userId}}`;
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  }

  override giveToken(given: Parameters): Response {
    if (given['grant_type'] !== 'client_credentials') return super.giveToken(given);
    this.readOfApp(AppTokenRequest, given);
    return Response.json({ access_token: `TH|${this.client.id}|token`, token_type: 'bearer' });
  }

  inspect(bearer: string | undefined, { input_token }: Parameters): Response {
    this.check(bearer);
    if (this.inspectsNone) throw noPermission();
    const { scopes, issuedAt, expiresAt } = this.find(String(input_token));
    return Response.json({
      data: {
        type: 'USER',
        application: 'Fanfare',
        data_access_expires_at: toSeconds(issuedAt + 90 * dayMs),
        expires_at: toSeconds(expiresAt),
        is_valid: true,
        issued_at: toSeconds(issuedAt),
        scopes,
        user_id: this.settings.userId,
      },
    });
  }
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000);
