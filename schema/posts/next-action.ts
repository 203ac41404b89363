// What a client can do after a failure.
import type { z } from 'zod';
import { describedEnum } from '../wire/described-enum.ts';

export const NextAction = describedEnum('NextAction', 'What you can do next.', {
  none: 'Nothing.',
  edit_content: 'Change the content and create a new post.',
  retry: 'Retry the target.',
  reconnect_account: 'Have the user connect the account again.',
  check_network: 'Check on the network whether the post is public.',
  wait: 'Wait, then retry the target.',
  contact_operator: 'Contact the operator of this installation.',
  finish_in_app: "Have the owner of the account publish the draft in the network's app.",
});
export type NextAction = z.infer<typeof NextAction>;
