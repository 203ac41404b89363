// What a target waits for, as words.
import type { WaitReason } from '../api/schema.ts';

const waits: Record<WaitReason, string> = {
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

export const waitText = (reason: WaitReason): string => waits[reason];
