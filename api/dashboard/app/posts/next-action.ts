// The one thing to do next, as a sentence.
import type { NextAction } from '../api/schema.ts';

const sentences: Record<NextAction, string> = {
  CHECK_NETWORK: 'Look on the network whether the post is public.',
  CONTACT_OPERATOR: 'Contact the operator of this installation.',
  EDIT_CONTENT: 'Change the content, and publish it again.',
  FINISH_IN_APP: 'Finish the post in the app of the network.',
  NONE: '',
  RECONNECT_ACCOUNT: 'Have the user connect the account again.',
  RETRY: 'Retry it.',
  WAIT: 'Wait. Fanfare continues by itself.',
};

export const nextActionText = (action: NextAction): string => sentences[action];
