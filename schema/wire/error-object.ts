// An error as the wire shows it.
import { z } from 'zod';
import { ErrorDetails } from './error-details.ts';
import { errorKinds, type ErrorCode } from './errors.ts';
import { Measure } from './shared-fields.ts';

const ErrorIssue = z
  .object({
    path: z.string().meta({
      description: 'Path of the field.',
      example: 'platform_posts[1].account_id',
    }),
    code: z.string().meta({ description: 'Stable code of the issue.' }),
    message: z.string().meta({ description: 'Description of the issue.' }),
    actual: Measure.optional().meta({
      description: 'Value or size that you sent. Absent if not relevant.',
    }),
    limit: Measure.optional().meta({
      description: 'Value or size that is allowed. Absent if not relevant.',
    }),
  })
  .meta({ id: 'Issue', description: 'An issue with one field of a request.' });

export const ErrorObject = z
  .object({
    code: z
      .enum(Object.keys(errorKinds) as ErrorCode[])
      .meta({ description: 'Stable code of the error.' }),
    message: z.string().meta({ description: 'Description of the error.' }),
    hint: z
      .string()
      .optional()
      .meta({ description: 'How to fix the error. Absent if there is no advice.' }),
    is_retriable: z.boolean().meta({
      description: 'Whether the same request can succeed later.',
    }),
    issues: z.array(ErrorIssue).optional().meta({
      description: 'Issues with the fields of the request. Absent for other errors.',
    }),
    ...ErrorDetails.shape,
    docs_url: z.string().meta({ description: 'URL of the documentation of the error.' }),
  })
  .meta({ id: 'ErrorObject', description: 'Why a request failed.' });
export type ErrorObject = z.infer<typeof ErrorObject>;
