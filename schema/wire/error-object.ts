// An error as the wire shows it.
import { z } from 'zod';
import { ErrorDetails, errorKinds, type ErrorCode } from './errors.ts';
import { Measure } from './shared-fields.ts';

const ErrorIssue = z
  .object({
    path: z.string().meta({
      description: 'Path of the field.',
      example: 'platform_posts[1].account_id',
    }),
    code: z.string().meta({ description: 'Stable code of the issue.' }),
    message: z.string().meta({ description: 'Description of the issue.' }),
    actual: Measure.nullable().optional().meta({
      description: 'Value or size that you sent. Null or absent if not relevant.',
    }),
    limit: Measure.nullable().optional().meta({
      description: 'Value or size that is allowed. Null or absent if not relevant.',
    }),
    // The other members of a `PostIssue`.
    field: z.string().optional().meta({
      description: 'The same path. Present only if the content of a post was refused.',
    }),
    platform_post_index: z.int().nullable().optional().meta({
      description:
        "Target's index in `platform_posts` or `account_ids`, from 0. Null if the issue is about several targets or the post as a whole. Present only if the content of a post was refused.",
    }),
    account_id: z.string().nullable().optional().meta({
      description: "ID of the target's account. Null and absent like `platform_post_index`.",
    }),
    platform: z.string().nullable().optional().meta({
      description:
        "Target's network. Null and absent like `platform_post_index`, and null if the account is unknown.",
    }),
    severity: z.string().optional().meta({
      description:
        'Severity of the issue: an error, never a warning. Present only if the content of a post was refused.',
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
