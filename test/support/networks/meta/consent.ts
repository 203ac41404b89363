// The consent page of a simulated network of Meta, and the codes that it gives.
import { z } from 'zod';
import { newSecret } from '../oauth/grants.ts';
import { showConsentForm } from '../oauth/consent-form.ts';
import type { Parameters } from './requests.ts';

interface Code {
  redirectUri: string;
  scopes: string[];
  isUsed: boolean;
}

/** Parameters of the request for a consent page. */
export interface Asked {
  client_id: string;
  redirect_uri: string;
  state?: string | undefined;
  scopes: string[];
}

const Decision = z.enum(['allow', 'deny']);

export class ConsentPage {
  readonly client: { id: string; secret: string };
  /** Undefined: any address is allowed. */
  redirectUri: string | undefined;
  /** Scopes that the user doesn't allow. */
  readonly withheldScopes = new Set<string>();
  protected readonly denial: string = 'The user denied your request';
  private readonly codes = new Map<string, Code>();

  constructor(clientId: string) {
    this.client = { id: clientId, secret: newSecret('client') };
  }

  listSecrets(): string[] {
    return [this.client.secret, ...this.codes.keys()];
  }

  /** Returns a page for a user who may not log in. Undefined: the user may log in. */
  protected refuseUser(_asked: Asked): Response | undefined {
    return undefined;
  }

  /** `mark`: fragment of the callback's address. */
  protected decide(
    { method, url }: Request,
    { decision, ...given }: Parameters,
    asked: Asked,
    mark: string,
  ): Response {
    const { client_id, redirect_uri, scopes } = asked;
    if (client_id !== this.client.id) return showProblem('Invalid App ID');
    if (this.redirectUri !== undefined && this.redirectUri !== redirect_uri) {
      return showProblem('URL Blocked');
    }
    const refused = this.refuseUser(asked);
    if (refused) return refused;
    if (method === 'GET') {
      return showConsentForm(new URL(url).pathname, given as Record<string, string>);
    }
    const denied = {
      error: 'access_denied',
      error_reason: 'user_denied',
      error_description: this.denial,
    };
    const isDenied = Decision.parse(decision) === 'deny';
    return sendBack(
      asked,
      isDenied ? denied : { code: this.createCode(redirect_uri, scopes) },
      mark,
    );
  }

  private createCode(redirectUri: string, asked: readonly string[]): string {
    const code = newSecret('code');
    const scopes = asked.filter((scope) => !this.withheldScopes.has(scope));
    this.codes.set(code, { redirectUri, scopes, isUsed: false });
    return code;
  }

  /** Marks the code as used. Returns what the user allowed, or why it is refused. */
  use(text: string, redirectUri: string): string[] | 'unknown' | 'used' | 'other_uri' {
    const code = this.codes.get(text);
    if (!code) return 'unknown';
    if (code.redirectUri !== redirectUri) return 'other_uri';
    if (code.isUsed) return 'used';
    code.isUsed = true;
    return code.scopes;
  }
}

/** Shows a page without a way back. */
export const showProblem = (message: string) => new Response(message, { status: 400 });

/**
 * Sends the user back to the app. The address ends with the fragment `mark`, which a browser doesn't send.
 */
export function sendBack(
  { redirect_uri, state }: Pick<Asked, 'redirect_uri' | 'state'>,
  answer: Record<string, string>,
  mark: string,
): Response {
  const location = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, state })) {
    if (value !== undefined) location.searchParams.set(name, value);
  }
  return new Response(null, { status: 302, headers: { location: `${location.href}${mark}` } });
}

export const splitScope = (scope: string) => scope.split(/[ ,]+/);

export const otherUri =
  'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request';
