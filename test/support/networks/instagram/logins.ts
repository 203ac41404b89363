// The login at the simulated Instagram: the forms of its tokens.
import { LongLivedLogins } from '../meta/logins.ts';
import { TokenRefusal } from '../meta/refusals.ts';
import { noPermission } from './refusals.ts';

export const instagramScopes = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
];

export class InstagramLogins extends LongLivedLogins {
  /**
   * The form of answers. `wrapped`: a list with one member, as documented. `plain`: as in answers that
   * clients have published.
   */
  answers: 'plain' | 'wrapped' = 'plain';
  /** The app is in development mode, and the user is not one of its testers. */
  isInDevelopment = false;

  constructor(userId: string) {
    super({ userId, prefix: 'ig', scopes: instagramScopes });
  }

  protected override refuseUser(): Response | undefined {
    if (!this.isInDevelopment) return undefined;
    return new TokenRefusal('Insufficient developer role').toResponse();
  }

  protected lacksScope() {
    return noPermission();
  }

  protected showShort(access_token: string, scopes: readonly string[]): Response {
    const { userId: user_id } = this.settings;
    if (this.answers === 'wrapped') {
      return Response.json({ data: [{ access_token, user_id, permissions: scopes.join(',') }] });
    }
    const permissions = JSON.stringify(scopes);
    const body = `{"access_token":"${access_token}","user_id":${user_id},"permissions":${permissions}}`;
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  }
}
