// Publishes to Instagram with Meta's client, and prints what it made of each answer.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.META_SDK, 'package.json'));
const { Business, FacebookAdsApi, IGMedia, IGUser, User } = require('facebook-nodejs-business-sdk');
const { userToken, pageToken, account, business, imageUrl, secondImageUrl, videoUrl, coverUrl } =
  JSON.parse(process.env.INPUT);

Object.defineProperty(FacebookAdsApi, 'GRAPH', { get: () => process.env.GRAPH_URL });
// Without reports of crashes to Meta.
const open = (token) => new FacebookAdsApi(token, 'en_US', false);
const api = open(pageToken);
const user = new User('me', {}, undefined, open(userToken));
const instagram = new IGUser(account, {}, undefined, api);

/** Without the client's own members. */
const toData = (found) => (Array.isArray(found) ? found.map(toData) : (found?._data ?? found));

async function step(name, call) {
  try {
    const data = toData(await call());
    console.log(JSON.stringify({ step: name, data }));
    return data;
  } catch (error) {
    const { status, response, message } = error;
    if (response === undefined) throw error;
    const { code, error_subcode: subcode } = response;
    console.log(JSON.stringify({ step: name, error: { status, code, subcode, message } }));
    return {};
  }
}

const statusOf = ({ id }) => api.call('GET', [id], { fields: 'status_code,status' });

const ofPage = [
  'id',
  'name',
  'access_token',
  'tasks',
  'instagram_business_account{id,username,name}',
  'connected_instagram_account{id,username}',
];
await step('accounts', () => user.getAccounts(ofPage, { limit: 100 }));
await step('businesses', () => user.getBusinesses(['id', 'name'], { limit: 100 }));
const owner = new Business(business, {}, undefined, open(userToken));
await step('owned pages', () => owner.getOwnedPages(ofPage, { limit: 100 }));
await step('client pages', () => owner.getClientPages(ofPage, { limit: 100 }));
await step('permissions', () => user.getPermissions([]));

await step('quota', () => instagram.getContentPublishingLimit(['quota_usage', 'config']));
const image = await step('image', () =>
  instagram.createMedia([], {
    image_url: imageUrl,
    caption: 'Hello #world',
    alt_text: 'Noise',
    user_tags: [{ username: 'grace.hopper', x: 0.5, y: 0.25 }],
    location_id: '110774245616525',
    collaborators: ['alan'],
  }),
);
await step('image status', () => statusOf(image));
const post = await step('image publish', () =>
  instagram.createMediaPublish([], { creation_id: image.id }),
);
await step('image permalink', () => new IGMedia(post.id, {}, undefined, api).get(['permalink']));
await step('image again', () => instagram.createMediaPublish([], { creation_id: image.id }));

const items = [
  await step('item 1', () =>
    instagram.createMedia([], { is_carousel_item: true, image_url: imageUrl, alt_text: 'Noise' }),
  ),
  await step('item 2', () =>
    instagram.createMedia([], { is_carousel_item: true, media_type: 'VIDEO', video_url: videoUrl }),
  ),
];
const carousel = await step('carousel', () =>
  instagram.createMedia([], {
    media_type: 'CAROUSEL',
    children: items.map(({ id }) => id),
    caption: 'Two',
  }),
);
await step('carousel publish', () =>
  instagram.createMediaPublish([], { creation_id: carousel.id }),
);

const reel = await step('reel', () =>
  instagram.createMedia([], {
    media_type: 'REELS',
    video_url: videoUrl,
    cover_url: coverUrl,
    caption: 'A reel',
    share_to_feed: false,
    audio_name: 'Fanfare',
  }),
);
await step('reel publish', () => instagram.createMediaPublish([], { creation_id: reel.id }));

const story = await step('story', () =>
  instagram.createMedia([], { media_type: 'STORIES', image_url: secondImageUrl }),
);
await step('story publish', () => instagram.createMediaPublish([], { creation_id: story.id }));

await step('comment', () =>
  new IGMedia(post.id, {}, undefined, api).createComment([], { message: 'First!' }),
);
await step('comments', () =>
  new IGMedia(post.id, {}, undefined, api).getComments(['id', 'text', 'timestamp', 'from'], {
    limit: 100,
  }),
);
const listed = [
  'id',
  'timestamp',
  'permalink',
  'caption',
  'media_type',
  'media_product_type',
  'children',
];
await step('posts', () => instagram.getMedia(listed, { limit: 100 }));
await step('stories', () => instagram.getStories(listed, { limit: 100 }));

await step('unknown parameter', () => instagram.createMedia([], { photo_url: imageUrl }));
await step('no image', () => instagram.createMedia([], { image_url: `${imageUrl}.gone` }));
