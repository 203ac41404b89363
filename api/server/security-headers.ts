// Headers that protect browsers, on every answer.
import type { ServerResponse } from 'node:http';
import { isSecure } from '../http/auth/origins.ts';

const yearS = 31_536_000;

/** Sets a default Content-Security-Policy. A page with a policy of its own replaces it. */
export function setSecurityHeaders(outgoing: ServerResponse, publicUrl: string): void {
  outgoing.setHeader('X-Content-Type-Options', 'nosniff');
  outgoing.setHeader('Content-Security-Policy', "frame-ancestors 'none'");
  if (isSecure(publicUrl)) {
    outgoing.setHeader('Strict-Transport-Security', `max-age=${yearS}`);
  }
}
