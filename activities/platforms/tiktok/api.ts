// Calls to TikTok's API. A refusal may come with status 200.
import { z } from 'zod';
import { tiktok } from '../../../schema/platforms/tiktok.ts';
import { isSuccess, type NetworkAnswer } from '../json-client.ts';
import { createApi, withToken, type OpenApi } from '../network-api.ts';
import type { Fetch } from '../platform.ts';
import type { Explanation } from '../refusal.ts';
import { explainError } from './errors.ts';

export const network = tiktok.title;

export interface TikTokSettings {
  fetch: Fetch;
  apiUrl: string;
  consentUrl: string;
  scopes: string[];
}

/** https://developers.tiktok.com/doc/tiktok-api-v2-error-handling */
const Refused = z.object({
  error: z.object({
    code: z.string(),
    message: z.string().optional(),
    log_id: z
      .string()
      .regex(/^[0-9a-f]{1,64}$/i)
      .optional()
      .catch(undefined),
  }),
});

const errorOf = ({ body }: NetworkAnswer) => Refused.safeParse(body).data?.error;

export const createTikTokApi = (
  fetch: Fetch,
  { apiUrl }: Pick<TikTokSettings, 'apiUrl'>,
): OpenApi =>
  createApi(fetch, {
    network,
    open: ({ access_token }) =>
      withToken(`${apiUrl}/v2`, access_token, {
        'content-type': 'application/json; charset=UTF-8',
      }),
    isRefusal: (answer) => !isSuccess(answer) || (errorOf(answer)?.code ?? 'ok') !== 'ok',
    readRefusal,
  });

function readRefusal(answer: NetworkAnswer): Explanation {
  const { code, message, log_id } = errorOf(answer) ?? {};
  return {
    ...explainError(code, message, isSuccess(answer)),
    // TikTok's support asks for it.
    ...(log_id && { detail: { log_id } }),
  };
}
