// How the simulated TikTok refuses a request. Codes and statuses are those of
// https://developers.tiktok.com/doc/tiktok-api-v2-error-handling and of the page of each call, read on 2026-11-27.
import { Refusal } from '../strict-requests.ts';

/** Every answer of the API has an `error`, whose code is `ok` after a success. */
export class TikTokError extends Refusal {
  override toResponse(): Response {
    const { status, code, message, headers } = this;
    const error = { code, message, log_id: '20261127AABBCCDD' };
    return Response.json({ data: {}, error }, { status, headers });
  }
}

export const answerWith = (data: object) =>
  Response.json({ data, error: { code: 'ok', message: '', log_id: '20261127AABBCCDD' } });

export const invalid = (message: string) => new TikTokError(400, 'invalid_params', message);
export const forbidden = (code: string, message = `Refused: ${code}`) =>
  new TikTokError(403, code, message);

/** The error of the OAuth endpoints is flat: https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token */
export function refuseOAuth(error: string, error_description: string, status = 400): Response {
  const log_id = '20261127AABBCCDD';
  return Response.json({ error, error_description, log_id }, { status });
}
