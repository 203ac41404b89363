// Projects: the tenants of an installation, as the wire shows them.
import { z } from 'zod';
import { someChange } from './wire/some-change.ts';
import { Timestamp } from './wire/timestamp.ts';

/** In the words of both APIs. */
export const monthlyLimitMeaning =
  "The monthly limit of an account's published targets. 0: none; null: as the installation has it.";

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    brand_color: z.string().nullable(),
    logo_url: z.string().nullable(),
    return_origins: z.array(z.string()).meta({
      description: 'Origins that `return_url` of a connect session may have. Empty: any.',
    }),
    monthly_posts_per_account: z.int().nullable().meta({ description: monthlyLimitMeaning }),
    created_at: Timestamp,
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

export const UpdateProject = someChange(
  z.strictObject({
    name: z.string().min(1).max(255).optional(),
    brand_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be #rrggbb')
      .nullable()
      .optional(),
    logo_url: z
      .url({ protocol: /^https$/ })
      .max(2048)
      .nullable()
      .optional(),
    return_origins: z
      .array(z.url({ protocol: /^https?$/ }))
      .max(50)
      .optional(),
    monthly_posts_per_account: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullable()
      .optional()
      .meta({ description: monthlyLimitMeaning }),
  }),
).meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof UpdateProject>;
