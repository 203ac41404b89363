// Every network's own options of a target: what checks them, and what GraphQL makes its types of.
import type { z } from 'zod';
import { BlueskyOptions } from './bluesky.ts';
import type { PlatformName } from './platforms.ts';
import { SandboxOptions } from './sandbox.ts';

export const platformOptions = {
  sandbox: SandboxOptions,
  bluesky: BlueskyOptions,
} as const satisfies Record<PlatformName, z.ZodObject>;
