// The calls of Meta's Postman collection for Threads: their methods, paths and parameters, and the names in
// their example answers. Written anew by hand, since the collection has Meta's own license. The values are
// ours. https://github.com/fbsamples/threads_api/blob/44df04d/postman/threads-api.postman_collection.json

export interface CollectedCall {
  /** Position in the collection, from 1. */
  number: number;
  method: 'GET' | 'POST' | 'DELETE';
  /** `{thread}` stands for a value of the run. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Whose access token the call has. Default: the user's. Null: the call has no token. */
  token?: 'short' | null;
  /** Names in the example answer, such as `data[].id`. Null: the collection has no example answer. */
  answer: readonly string[] | null;
}

const listNames = (text: string) => text.trim().split(/\s+/);

const poll = listNames(`
  option_a option_b option_c option_d
  option_a_votes_percentage option_b_votes_percentage option_c_votes_percentage
  option_d_votes_percentage expiration_timestamp`);
const pollField = `poll_attachment{${poll.join()}}`;

const postFields = listNames(`
  id media_product_type media_type media_url gif_url permalink owner username text timestamp
  shortcode thumbnail_url children is_quote_post quoted_post reposted_post has_replies alt_text
  link_attachment_url ${pollField} location_id topic_tag is_verified profile_picture_url`).join();
const replyFields = listNames(`
  id text timestamp media_product_type media_type media_url gif_url permalink shortcode
  thumbnail_url username children is_quote_post quoted_post reposted_post alt_text
  link_attachment_url has_replies is_reply is_reply_owned_by_me root_post replied_to hide_status
  reply_audience ${pollField} location_id topic_tag is_verified profile_picture_url`).join();
const profileFields = listNames(`
  id username name is_verified threads_profile_picture_url threads_biography
  recently_searched_keywords is_eligible_for_geo_gating`).join();
const quotaFields = listNames(`
  quota_usage config reply_quota_usage reply_config delete_quota_usage delete_config
  location_search_quota_usage location_search_config`).join();

const ownReply = listNames(`
  id media_product_type media_type permalink username text timestamp shortcode is_quote_post
  has_replies`);
const post = [...ownReply, 'owner.id', ...poll.map((name) => `poll_attachment.${name}`)];
const reply = [
  ...ownReply,
  ...listNames('is_reply is_reply_owned_by_me root_post.id replied_to.id'),
];
const listOf = (names: readonly string[]) => [
  ...names.map((name) => `data[].${name}`),
  'paging.cursors.before',
  'paging.cursors.after',
];

const publish = {
  method: 'POST',
  path: '/me/threads_publish',
  query: { creation_id: '{container}' },
  answer: ['id'],
} as const;
const create = { method: 'POST', path: '/me/threads', answer: ['id'] } as const;
const app = { client_id: '{app}', client_secret: '{secret}' };

/** The calls that the simulator serves, in their order. */
export const collectedCalls: readonly CollectedCall[] = [
  {
    number: 1,
    method: 'POST',
    path: '/oauth/access_token',
    query: {
      ...app,
      code: '{code}',
      grant_type: 'authorization_code',
      redirect_uri: '{callback}',
    },
    token: null,
    answer: ['access_token', 'user_id'],
  },
  {
    number: 2,
    method: 'GET',
    path: '/access_token',
    query: { grant_type: 'th_exchange_token', client_secret: '{secret}' },
    token: 'short',
    answer: ['access_token', 'token_type', 'expires_in'],
  },
  {
    number: 3,
    method: 'GET',
    path: '/refresh_access_token',
    query: { grant_type: 'th_refresh_token' },
    answer: null,
  },
  {
    number: 4,
    method: 'GET',
    path: '/oauth/access_token',
    query: { grant_type: 'client_credentials', ...app },
    token: null,
    answer: ['access_token', 'token_type'],
  },
  {
    number: 5,
    ...create,
    // The collection disables the last three parameters. Its example of a post has a poll.
    query: {
      text: 'A text.',
      media_type: 'TEXT',
      auto_publish_text: 'true',
      reply_control: 'everyone',
      topic_tag: 'Brass bands',
      poll_attachment: JSON.stringify({
        option_a: '1',
        option_b: '2',
        option_c: '3',
        option_d: '4',
      }),
    },
  },
  {
    number: 6,
    ...create,
    query: { text: 'An image.', media_type: 'IMAGE', image_url: '{image}', alt_text: 'Noise' },
  },
  {
    number: 7,
    ...create,
    query: { text: 'A video.', media_type: 'VIDEO', video_url: '{video}', alt_text: 'Noise' },
  },
  { number: 8, ...publish },
  {
    number: 9,
    ...create,
    query: {
      media_type: 'IMAGE',
      image_url: '{image}',
      is_carousel_item: 'true',
      alt_text: 'Noise',
    },
  },
  {
    number: 10,
    ...create,
    query: {
      media_type: 'VIDEO',
      video_url: '{video}',
      is_carousel_item: 'true',
      alt_text: 'Noise',
    },
  },
  {
    number: 11,
    ...create,
    query: { media_type: 'CAROUSEL', children: '{children}', text: 'A carousel.' },
  },
  { number: 12, ...publish },
  {
    number: 13,
    ...create,
    query: { text: 'A quote.', media_type: 'TEXT', quote_post_id: '{thread}' },
  },
  { number: 14, ...publish },
  {
    number: 18,
    method: 'GET',
    path: '/me',
    query: { fields: profileFields },
    answer: listNames('id username name threads_profile_picture_url threads_biography'),
  },
  { number: 20, method: 'GET', path: '/{thread}', query: { fields: postFields }, answer: post },
  {
    number: 21,
    method: 'GET',
    path: '/me/threads',
    query: { fields: postFields, limit: '50' },
    answer: listOf(post),
  },
  {
    number: 23,
    method: 'GET',
    path: '/{thread}/replies',
    query: { fields: replyFields, reverse: 'false' },
    answer: listOf(reply),
  },
  {
    number: 24,
    method: 'GET',
    path: '/{thread}/conversation',
    query: { fields: replyFields, reverse: 'false' },
    answer: listOf(reply),
  },
  {
    number: 26,
    ...create,
    query: { media_type: 'TEXT', text: 'A reply.', reply_to_id: '{reply}' },
  },
  {
    number: 27,
    ...create,
    query: { media_type: 'TEXT', text: 'A text.', reply_control: 'mentioned_only' },
  },
  {
    number: 28,
    method: 'GET',
    path: '/me/replies',
    query: { fields: replyFields, limit: '50' },
    answer: listOf(ownReply),
  },
  {
    number: 29,
    method: 'DELETE',
    path: '/{thread}',
    query: {},
    answer: ['success', 'deleted_id'],
  },
  {
    number: 35,
    method: 'GET',
    path: '/{container}/',
    query: { fields: 'id,status,error_message' },
    answer: ['id', 'status'],
  },
  {
    number: 36,
    method: 'GET',
    path: '/me/threads_publishing_limit',
    query: { fields: quotaFields },
    answer: listNames(`
      data[].quota_usage data[].config.quota_total data[].config.quota_duration
      data[].reply_quota_usage data[].reply_config.quota_total data[].reply_config.quota_duration`),
  },
  {
    number: 37,
    method: 'GET',
    path: '/debug_token',
    query: { input_token: '{token}' },
    answer: null,
  },
];

/**
 * Numbers of the calls for reposts, locations, other profiles, hidden replies, insights, searches, mentions
 * and embedded posts. Fanfare doesn't use these.
 */
export const otherCalls: readonly number[] = [15, 16, 17, 19, 22, 25, 30, 31, 32, 33, 34];
