// The scopes of an API key.
import { z } from 'zod';

export const scopes = [
  'posts:read',
  'posts:write',
  'accounts:read',
  'accounts:write',
  'webhooks:read',
  'webhooks:write',
  'keys:write',
] as const;

export type Scope = (typeof scopes)[number];
export const Scope = z.enum(scopes).meta({ id: 'Scope' });
