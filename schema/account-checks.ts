// Checks of accounts, as the wire shows them: whether an account can publish, step by step.
import { z } from 'zod';
import { AccountPlatform } from './platforms/index.ts';
import { postingErrors, type PostingErrorCode } from './posts/errors.ts';
import { describedEnum } from './wire/described-enum.ts';
import { CreatedAt, Id, SocialAccountId } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

export const AccountCheckStatus = describedEnum('AccountCheckStatus', 'Status of the check.', {
  running: 'Some steps have not ended.',
  passed: 'No step failed.',
  failed: 'A step failed.',
});
export type AccountCheckStatus = z.infer<typeof AccountCheckStatus>;

export const CheckStepName = describedEnum('AccountCheckStepName', 'Name of the step.', {
  login: 'The network accepts the login, and the login reaches the account.',
  scopes: 'The login and the account may do what posts need.',
  app: 'The network has not refused the app in the other steps.',
  quota: 'The account may publish more for now.',
  media_address: 'An image can be fetched at the public address of this installation.',
  preparation: 'The network prepares a post. Nothing is published.',
  publication: 'The network publishes a post.',
  read_back: 'The network shows the post.',
  removal: 'The network deletes the post.',
});
export type CheckStepName = z.infer<typeof CheckStepName>;

export const CheckStepStatus = describedEnum('AccountCheckStepStatus', 'Status of the step.', {
  pending: 'Has not ended.',
  passed: 'Found nothing wrong.',
  failed: 'Failed. `code` gives the reason.',
  skipped: 'Does not apply, or another step failed.',
});
export type CheckStepStatus = z.infer<typeof CheckStepStatus>;

export const CheckNextAction = describedEnum('AccountCheckNextAction', 'What you can do next.', {
  none: 'Nothing.',
  retry: 'Check the account again.',
  wait: 'Wait, then check the account again.',
  reconnect_account: 'Have the user connect the account again.',
  contact_operator: 'Contact the operator of this installation.',
  check_network: 'Check on the network whether the post is public.',
});
export type CheckNextAction = z.infer<typeof CheckNextAction>;

/** A step as the database has it. */
export interface StoredStep {
  name: CheckStepName;
  status: CheckStepStatus;
  code: PostingErrorCode | null;
  message: string | null;
}

/** How many checks an account may have within an hour. Each of them asks its network. */
export const checksPerHour = { any: 10, publishing: 3 } as const;

/** Never returns `edit_content`, because the post of a check has no client who could edit it. */
export function nextActionOf(code: PostingErrorCode): CheckNextAction {
  const { nextAction } = postingErrors[code];
  return nextAction === 'edit_content' ? 'contact_operator' : nextAction;
}

export const CreateAccountCheck = z
  .strictObject({
    publish: z
      .union([z.boolean(), z.literal('public')], 'must be true, false or "public"')
      .optional()
      .meta({
        description:
          "Whether to publish a post too, read it back and remove it. Where Fanfare can't remove the post, it stays, so only `public` is accepted. Default: nothing is published.",
      }),
  })
  .meta({ id: 'CreateAccountCheck', description: 'What to check.' });
export type CreateAccountCheck = z.infer<typeof CreateAccountCheck>;

export const AccountCheckStep = z
  .object({
    name: CheckStepName,
    status: CheckStepStatus,
    code: z.string().nullable().meta({
      description:
        'Stable code of the failure, one of those of failed targets. Null if the step did not fail.',
    }),
    message: z.string().nullable().meta({
      description: 'What the step found. Null if there is nothing to say.',
    }),
    next_action: CheckNextAction,
    docs_url: z.string().nullable().meta({
      description: 'URL of the documentation of the code. Null if the step did not fail.',
    }),
  })
  .meta({ id: 'AccountCheckStep', description: 'A step of a check.' });
export type AccountCheckStep = z.infer<typeof AccountCheckStep>;

export const AccountCheck = z
  .object({
    id: Id,
    social_account_id: SocialAccountId,
    platform: AccountPlatform,
    status: AccountCheckStatus,
    publishes: z.boolean().meta({ description: 'Whether the check publishes a post.' }),
    steps: z.array(AccountCheckStep).meta({ description: 'Steps of the check, in their order.' }),
    created_at: CreatedAt,
    ended_at: Timestamp.nullable().meta({
      description: 'Time when the last step ended. Null until then.',
    }),
  })
  .meta({ id: 'AccountCheck', description: 'A check of whether an account can publish.' });
export type AccountCheck = z.infer<typeof AccountCheck>;
