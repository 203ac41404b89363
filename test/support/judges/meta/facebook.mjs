// Publishes to a page of Facebook with Meta's client, and prints how the client read each answer. The client
// sends no bytes, so a plain request sends the bytes of a video.
import { api, graph, input, open, readLogin, sdk, step, user } from './client.mjs';

const { Page, PagePost } = sdk;
const { userToken, pageToken, appToken, page: pageId, imageUrl, video, since } = input;
const page = new Page(pageId, {}, undefined, api);

const statusOf = ({ video_id }) => api.call('GET', [video_id], { fields: 'status' });
const bytes = Buffer.from(video, 'base64');

/** Sends the whole video in one request. */
async function send({ upload_url: url }) {
  const authorization = `OAuth ${pageToken}`;
  const headers = { authorization, offset: '0', file_size: String(bytes.length) };
  const answer = await fetch(url, { method: 'POST', headers, body: bytes });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Sends the video in the ranges that the API asks for. */
async function transfer({ upload_session_id, start_offset, end_offset }) {
  let [start, end] = [Number(start_offset), Number(end_offset)];
  while (start < end) {
    const form = new FormData();
    form.set('access_token', pageToken);
    form.set('upload_phase', 'transfer');
    form.set('upload_session_id', upload_session_id);
    form.set('start_offset', String(start));
    form.set('video_file_chunk', new Blob([bytes.subarray(start, end)]), 'video.mp4');
    const answer = await fetch(`${graph}/v25.0/${pageId}/videos`, { method: 'POST', body: form });
    const next = await answer.json();
    [start, end] = [Number(next.start_offset), Number(next.end_offset)];
  }
}

await step('me', () => user.get(['id']));
await readLogin(['id', 'name', 'access_token', 'tasks']);
await step('debug token', () =>
  open(appToken).call('GET', ['debug_token'], { input_token: pageToken }),
);

const post = await step('text', () => page.createFeed([], { message: 'Hello' }));
await step('same text', () => page.createFeed([], { message: 'Hello' }));
await step('link', () => page.createFeed([], { message: 'News', link: 'https://example.com/' }));

const photos = [];
for (const name of ['photo 1', 'photo 2', 'photo 3']) {
  const photo = { url: imageUrl, published: false, alt_text_custom: 'Noise' };
  photos.push(await step(name, () => page.createPhoto([], photo)));
}
const attached_media = photos.slice(0, 2).map(({ id }) => ({ media_fbid: id }));
await step('photos', () => page.createFeed([], { message: 'Two', attached_media }));
await step('photo story', () => page.createPhotoStory([], { photo_id: photos[2].id }));

const film = await step('video start', () =>
  page.createVideo([], { upload_phase: 'start', file_size: bytes.length }),
);
await transfer(film);
await step('video finish', () =>
  page.createVideo([], {
    upload_phase: 'finish',
    upload_session_id: film.upload_session_id,
    description: 'A film',
  }),
);
await step('video status', () => statusOf(film));

const reel = await step('reel start', () => page.createVideoReel([], { upload_phase: 'start' }));
await step('reel status', () => statusOf(reel));
await send(reel);
await step('reel finish', () =>
  page.createVideoReel([], {
    upload_phase: 'finish',
    video_id: reel.video_id,
    video_state: 'PUBLISHED',
    description: 'A reel',
  }),
);

const story = await step('story start', () => page.createVideoStory([], { upload_phase: 'start' }));
await send(story);
await step('story finish', () =>
  page.createVideoStory([], { upload_phase: 'finish', video_id: story.video_id }),
);

const ofPost = new PagePost(post.id, {}, undefined, api);
await step('comment', () => ofPost.createComment([], { message: 'First!' }));
await step('comments', () =>
  ofPost.getComments(['id', 'message', 'created_time', 'from'], {
    order: 'reverse_chronological',
    since,
    limit: 100,
  }),
);
const listed = [
  'id',
  'message',
  'created_time',
  'attachments{type,target,subattachments{type,target}}',
];
await step('posts', () => page.getPublishedPosts(listed, { since, limit: 100 }));
await step('stories', () => page.getStories([], { since, limit: 100 }));
await step('reels', () => page.getVideoReels(['id', 'description'], { since, limit: 100 }));

await step('unknown parameter', () => page.createFeed([], { text: 'Hello' }));
await step('nothing', () => page.createFeed([], {}));
await step('link and photos', () =>
  page.createFeed([], { link: 'https://example.com/', attached_media }),
);
await step('token of a user', () =>
  new Page(pageId, {}, undefined, open(userToken)).createFeed([], { message: 'Hi' }),
);
