// The scopes of an API key.
import type { z } from 'zod';
import { describedEnum } from './wire/described-enum.ts';

export const Scope = describedEnum('Scope', 'Operations that the API key allows.', {
  'posts:read': 'Read posts, their results and attempts.',
  'posts:draft': 'Create, change, copy and validate drafts, without publishing anything.',
  'posts:write': 'Create, change, publish, cancel and delete posts. Includes `posts:draft`.',
  'accounts:read': 'Read accounts, connect sessions, apps and the project.',
  'accounts:write': 'Connect and disconnect accounts, and change apps and the project.',
  'webhooks:read': 'Read webhooks, events, deliveries and replays.',
  'webhooks:write': 'Change webhooks, retry deliveries and start replays.',
  'keys:write': 'Read, create and revoke API keys.',
});
export type Scope = z.infer<typeof Scope>;
export const scopes = Scope.options;

/** The scopes that include another one. */
const widerScopes: Partial<Record<Scope, Scope>> = { 'posts:draft': 'posts:write' };

/** The scope among `held` that allows what `needed` allows, the widest first. Undefined: there is none. */
export function findGrant(held: readonly Scope[], needed: Scope): Scope | undefined {
  return [widerScopes[needed], needed].find((scope) => scope !== undefined && held.includes(scope));
}
