// The REST API of a WordPress site, and its refusals.
import { z } from 'zod';
import { isSuccess, type NetworkAnswer } from '../json-client.ts';
import { createApi } from '../network-api.ts';
import type { Fetch } from '../platform.ts';

/**
 * `api` is `https://example.com/?rest_route=/`, which needs no rewrite rules, unlike `/wp-json/`.
 * @see https://developer.wordpress.org/rest-api/using-the-rest-api/authentication/
 */
export const createWordPressApi = (fetch: Fetch) =>
  createApi(fetch, {
    network: 'WordPress',
    open({ api = '', username, application_password: password = '' }) {
      const login = Buffer.from(`${username}:${password}`).toString('base64');
      // A site may repeat the password, with its spaces or without, or the header that carries it.
      const secrets = [password, password.replaceAll(' ', ''), login.replace(/=+$/, '')];
      return { url: api, headers: { authorization: `Basic ${login}` }, secrets };
    },
    isRefusal: (answer) => !isSuccess(answer) && !TermExists.safeParse(answer.body).success,
    readRefusal,
  });

/** A route with its parameters, as the path of a call. */
export const toPath = (route: string, query: Record<string, string>) =>
  `${route}&${new URLSearchParams(query).toString()}`;

export const TermExists = z.object({ data: z.object({ term_id: z.int().positive() }) });

/** @see https://developer.wordpress.org/reference/functions/rest_convert_error_to_response/ */
const WpError = z.object({ code: z.string(), message: z.string() });
const ForbiddenStatus = z.object({
  data: z.object({
    details: z.object({ status: z.object({ code: z.literal('rest_forbidden_status') }) }),
  }),
});

function readRefusal({ status, body }: NetworkAnswer) {
  const { code, message } = WpError.safeParse(body).data ?? {};
  if (code === undefined) {
    const foreign = `HTTP ${status}, not from WordPress. A firewall may have answered.`;
    return { message: status < 500 ? foreign : undefined, verdicts: { 401: 'rejected' } } as const;
  }
  // Where the password is wrong, WordPress treats the user as a visitor.
  const isVisitor = status === 401 || ForbiddenStatus.safeParse(body).success;
  const verdicts = isVisitor ? { [code]: 'revoked' as const } : {};
  return { code, message: message?.replaceAll(/<[^<>]*>/g, ''), verdicts };
}
