// A refusal or failure as the wire shows it.
import { z } from 'zod';
import { errorKinds, type ErrorCode } from './errors.ts';

const ErrorIssue = z
  .object({
    path: z.string().meta({ example: 'platform_posts[1].account_id' }),
    code: z.string(),
    message: z.string(),
    actual: z.union([z.string(), z.number()]).optional(),
    limit: z.union([z.string(), z.number()]).optional(),
  })
  .meta({ id: 'Issue' });

export const ErrorObject = z
  .object({
    code: z.enum(Object.keys(errorKinds) as ErrorCode[]),
    message: z.string(),
    hint: z.string().optional(),
    is_retriable: z.boolean(),
    issues: z.array(ErrorIssue).optional(),
    docs_url: z.string(),
  })
  .meta({ id: 'ErrorObject' });
