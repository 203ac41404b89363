// What the calls that write a message share.

export const headers = { 'content-type': 'application/json; charset=utf-8' };

/** Leads to the message after a lost answer. @see https://docs.slack.dev/messaging/message-metadata */
export const toMetadata = (resultId: string) => ({
  event_type: 'fanfare_post',
  event_payload: { result_id: resultId },
});
