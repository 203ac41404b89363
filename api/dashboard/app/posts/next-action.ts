// The one thing to do next, as a sentence.
const sentences: Record<string, string> = {
  CHECK_NETWORK: 'Look on the network whether the post is public.',
  CONTACT_OPERATOR: 'Contact the operator of this installation.',
  EDIT_CONTENT: 'Change the content, and publish it again.',
  FINISH_IN_APP: 'Finish the post in the app of the network.',
  NONE: '',
  RECONNECT_ACCOUNT: 'Have the user connect the account again.',
  RETRY: 'Retry it.',
  WAIT: 'Wait. Fanfare continues by itself.',
};

export const nextActionText = (action: string): string => sentences[action] ?? action;

const waits: Record<string, string> = {
  ANSWERED_POST: 'the post that this one replies to',
  APP_CREDITS: 'credits of the app at the network',
  CONFIRMATION: 'the network, which is processing the post',
  LOST_ANSWER: 'a check whether the post is public, since the answer was lost',
  MEDIA: 'its media',
  NETWORK: 'the network, which did not answer or refused for now',
  PAUSE: 'the end of a pause by the operator',
  PREPARATION: 'the network, which is processing the upload',
  QUOTA: 'quota at the network',
  RATE_LIMIT: 'a rate limit',
};

export const waitText = (reason: string): string => waits[reason] ?? reason;
