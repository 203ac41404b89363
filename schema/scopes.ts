// The scopes of an API key.
import type { z } from 'zod';
import { describedEnum } from './wire/described-enum.ts';

export const Scope = describedEnum('Scope', 'Operations that the API key allows.', {
  'posts:read': 'Read posts, their results and attempts.',
  'posts:write': 'Create, change, publish, cancel and delete posts.',
  'accounts:read': 'Read accounts, connect sessions, apps and the project.',
  'accounts:write': 'Connect and disconnect accounts, and change apps and the project.',
  'webhooks:read': 'Read webhooks, events, deliveries and replays.',
  'webhooks:write': 'Change webhooks, retry deliveries and start replays.',
  'keys:write': 'Read, create and revoke API keys.',
});
export type Scope = z.infer<typeof Scope>;
export const scopes = Scope.options;
