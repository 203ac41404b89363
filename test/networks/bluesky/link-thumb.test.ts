// The picture of a link card at a real Bluesky server, from its URL or its upload to the record.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { forFile } from '../../support/fixtures.ts';
import { startFileServer } from '../../support/media/file-server.ts';
import { noise } from '../../support/media/samples.ts';
import { createMedia, putBytes } from '../../support/media/uploads.ts';
import { startBlueskyPds, type BlueskyPds } from '../../support/servers/bluesky-pds.ts';

const started = await startBlueskyPds();
const skipped = 'skipped' in started ? started.skipped : undefined;
const pds = started as BlueskyPds;

const { maxBytes } = bluesky.rules.media.linkCard;
const small = await noise(60, 40).jpeg().toBuffer();
const large = await noise(1_700, 1_200).jpeg({ quality: 95 }).toBuffer();

describe.skipIf(skipped !== undefined)('the thumb of a link card', () => {
  let app: TestApp;
  let did: string;
  let account_id: string;
  const files = forFile(() =>
    startFileServer({ '/large.jpg': (_, response) => response.end(large) }),
  );

  beforeAll(async () => {
    app = await startApp({ env: pds.env });
    const user = await pds.createAccount('cards.test', 'cards-password');
    ({ did } = user);
    const credentials = { handle: user.handle, app_password: user.appPassword };
    const body = { platform: 'bluesky', credentials };
    account_id = (await app.api.post('/v1/accounts/connect', body)).body.data.id;
  });

  afterAll(async () => {
    await app.stop();
    await pds.stop();
  });

  /** Publishes a card with this thumb. Returns the card as the server stored it, and its picture. */
  async function publishCard(thumb: object) {
    const platform_options = { link: { url: 'https://example.com/album', title: 'Album', thumb } };
    const { id } = await app.tenant.createPost({
      caption: 'Out now',
      platform_posts: [{ account_id, platform_options }],
    });
    const { status, results } = await app.tenant.waitForPost(id);
    expect(status, JSON.stringify(results)).toBe('published');
    const rkey = results[0]!.external_id!.split('/').at(-1)!;
    const query = { repo: did, collection: 'app.bsky.feed.post', rkey };
    const record = await ask('com.atproto.repo.getRecord', query);
    const { value } = (await record.json()) as {
      value: { embed: { $type: string; external: Card } };
    };
    const { $type, external } = value.embed;
    expect($type).toBe('app.bsky.embed.external');
    const blob = await ask('com.atproto.sync.getBlob', { did, cid: external.thumb.ref.$link });
    return { card: external, picture: Buffer.from(await blob.arrayBuffer()) };
  }

  test('is fitted to the limit of the card after it was fetched from its URL', async () => {
    expect(large.length).toBeGreaterThan(maxBytes);
    const { card, picture } = await publishCard({ url: `${files.url}/large.jpg` });
    expect(card).toMatchObject({ uri: 'https://example.com/album', title: 'Album' });
    expect(card.thumb.size).toBe(picture.length);
    expect(picture.length).toBeLessThanOrEqual(maxBytes);
    expect((await sharp(picture).metadata()).format).toBe('jpeg');
  });

  test('is the uploaded file, byte for byte, and the media become attached', async () => {
    const media = await createMedia(app.api);
    await putBytes(media.upload_url, small);
    const { picture } = await publishCard({ id: media.id });
    expect(picture.equals(small)).toBe(true);
    expect((await app.api.get(`/v1/media/${media.id}`)).body.data.status).toBe('attached');
  });

  test('fails the target if its URL has no image', async () => {
    const thumb = { url: `${files.url}/missing.jpg` };
    const platform_options = { link: { url: 'https://example.com', thumb } };
    const platform_posts = [{ account_id, platform_options }];
    const { id } = await app.tenant.createPost({ caption: 'Out now', platform_posts });
    const { results } = await app.tenant.waitForPost(id);
    expect(results[0]).toMatchObject({
      error_code: 'media_unreachable',
      failure_stage: 'prepare',
      error_message: expect.stringContaining(thumb.url),
    });
  });
});

interface Card {
  uri: string;
  title: string;
  thumb: { ref: { $link: string }; size: number };
}

function ask(method: string, query: Record<string, string>): Promise<Response> {
  return fetch(`${pds.url}/xrpc/${method}?${new URLSearchParams(query).toString()}`);
}
