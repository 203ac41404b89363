// A request body for each operation that takes one. The API reference makes its curl examples from these
// bodies.

const account_ids = ['sa_01kc3v5x2m8q4r7t9w0y6z1abc', 'sa_01kc3v6d9f2h5j8m1p4r7t0wxy'];
const postIds = ['post_01kc3w2b4d6f8h1j3k5m7n9pqr', 'post_01kc3w3c5e7g9j2k4m6n8p0rst'];
const post = { caption: 'Our spring release is out.', account_ids };

export const requestExamples: Readonly<Record<string, object>> = {
  createPost: post,
  updatePost: { caption: 'Our spring release is out today.', metadata: { campaign: 'spring' } },
  updateResult: { caption: 'Our spring release is out. Fixed a typo.' },
  createReviewLink: { can: 'publish' },
  validatePost: post,
  createPosts: { posts: [post, { ...post, caption: 'Thank you for 1,000 stars.' }] },
  cancelPosts: { ids: postIds },
  deletePosts: { ids: postIds },
  updatePosts: {
    posts: [
      { id: postIds[0], caption: 'Our spring release is out today.' },
      { id: postIds[1], scheduled_at: null },
    ],
  },
  createQueue: {
    name: 'Weekday mornings',
    timezone: 'Europe/Berlin',
    account_ids,
    slots: [
      { weekday: 'mon', time: '09:00' },
      { weekday: 'thu', time: '09:00' },
    ],
  },
  updateQueue: { is_paused: true },
  createMedia: { filename: 'spring.jpg', content_type: 'image/jpeg', size_bytes: 482_113 },
  createAccountCheck: { publish: true },
  connectAccount: {
    platform: 'bluesky',
    credentials: { handle: 'ada.bsky.social', app_password: 'abcd-efgh-ijkl-mnop' },
    external_user_id: 'user_42',
  },
  importAccount: {
    platform: 'mastodon',
    access_token: 'ZA-Yj3aBD8U8Cm7lKUp-lm9O9BmDgdhHzDeqsY8tlL0',
    instance: 'mastodon.social',
    external_user_id: 'user_42',
  },
  updateAccount: { display_name: 'Our shop', external_user_id: 'user_42' },
  createConnectSession: {
    platform: 'mastodon',
    external_user_id: 'user_42',
    return_url: 'https://app.example.com/connected',
  },
  setPlatformApp: { client_id: '1234567890', client_secret: 'shown-once-at-the-network' },
  createWebhook: {
    url: 'https://app.example.com/webhooks',
    events: ['post.published', 'post.failed'],
  },
  updateWebhook: { active: false },
  rotateWebhook: { overlap_seconds: 3600 },
  testWebhook: { event: 'post.published' },
  replayDeliveries: { from: '2026-03-01T00:00:00Z', status: ['failed'] },
  createApiKey: { name: 'Production server', scopes: ['posts:write', 'accounts:read'] },
  updateProject: { name: 'Acme', return_origins: ['https://app.example.com'] },
};

/** The same for operations that take CSV. */
export const csvExamples: Readonly<Record<string, string>> = {
  createPosts: `caption,account_ids,scheduled_at,metadata.campaign
Our spring release is out.,${account_ids.join(' ')},,spring
"Thank you, all 1,000 of you.",${account_ids[0]},2026-12-01T09:00:00+01:00,stars
`,
};
