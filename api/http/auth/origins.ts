// What the public URL of this installation means for browsers: their own origin, and whether it is secure.
import { AppError } from '../../../schema/wire/errors.ts';
import type { Context } from '../context.ts';

/**
 * Whether browsers use this installation over https. Then cookies have the prefix `__Host-`, with which no other host
 * can set them, and the next visit must use https too.
 */
export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');

/** A page of another origin must not act with the browser's session, nor sign the browser in. */
export function requireOwnOrigin(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  origin: string | null | undefined,
): void {
  const own = new URL(publicUrl).origin;
  if (origin === own) return;
  throw new AppError('unauthorized', `A session counts only on pages of ${own}.`, {
    hint: `Open ${publicUrl}/dashboard`,
  });
}

/** A page of another origin must not act for a user whose browser has access to this server, even with a valid key. */
export function requireAllowedOrigin(
  { publicUrl, config }: Pick<Context, 'publicUrl' | 'config'>,
  origin: string | null,
): void {
  const allowed = [new URL(publicUrl).origin, ...config.corsOrigins];
  if (origin === null || allowed.includes(origin)) return;
  throw new AppError('origin_not_allowed', 'Pages of this origin may not call this endpoint.', {
    hint: 'The operator can allow the origin in FANFARE_CORS_ORIGINS.',
  });
}
