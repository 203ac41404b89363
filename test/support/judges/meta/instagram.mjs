// Publishes to Instagram with Meta's client, and prints how the client read each answer.
import { api, input, readLogin, sdk, step } from './client.mjs';

const { IGMedia, IGUser } = sdk;
const { account, imageUrl, secondImageUrl, videoUrl, coverUrl } = input;
const instagram = new IGUser(account, {}, undefined, api);

const statusOf = ({ id }) => api.call('GET', [id], { fields: 'status_code,status' });

await readLogin([
  'id',
  'name',
  'access_token',
  'tasks',
  'instagram_business_account{id,username,name}',
  'connected_instagram_account{id,username}',
]);

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
