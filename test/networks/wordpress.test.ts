// WordPress at a real site: the contract's cases without faults, and the facts that the simulator relies on.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createWordPress } from '../../activities/platforms/wordpress/index.ts';
import type { Published, Target, TargetMedia } from '../../activities/platforms/platform.ts';
import { createImage, createVideo } from '../support/media/target-media.ts';
import { describeLiveCases } from '../support/networks/contract/live-cases.ts';
import { startWordPress, type WordPress } from '../support/networks/wordpress/playground.ts';
import { listWrongCredentials, wordpressFacts } from '../support/networks/wordpress/subject.ts';
import { refusal } from '../support/checks/platform-refusal.ts';
import { prepareTarget, targetOf as createTarget } from '../support/networks/target.ts';
import { loginOf } from '../support/rows/grants.ts';
import { formOf, type Connection } from '../support/networks/connection.ts';

const patienceMs = 100_000;
/** A JPEG without an alt text. */
const photo = (change: Partial<TargetMedia> = {}) =>
  createImage({ contentType: 'image/jpeg', altText: null, ...change });
const started = await startWordPress();
if ('skipped' in started) console.log(started.skipped);
const isMissing = 'skipped' in started;
const site = started as WordPress;
afterAll(() => (isMissing ? undefined : site.stop()));

describe.skipIf(isMissing)('at a real site', () => {
  const shop = createServer((_, response) => void response.end('<html>A shop</html>'));
  beforeAll(async () => {
    // It has one PHP, which takes seconds on a busy machine.
    vi.setConfig({ testTimeout: patienceMs + 10_000, maxConcurrency: 1 });
    await once(shop.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    vi.resetConfig();
    shop.close();
  });

  describeLiveCases({
    ...wordpressFacts,
    patienceMs,
    async start() {
      const credentials = await site.createUser('author');
      const contributor = await site.createUser('contributor');
      return {
        env: {},
        credentials,
        wrongCredentials: listWrongCredentials(
          credentials,
          contributor,
          `http://127.0.0.1:${(shop.address() as AddressInfo).port}`,
        ),
        listPosts: () => site.listPosts(credentials),
        listSecrets: () => [contributor['application_password']!],
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  });
});

describe.skipIf(isMissing)('the connector', () => {
  const connector = createWordPress({ fetch });
  const signal = () => AbortSignal.timeout(30_000);
  let connection: Connection;

  const connect = async () => formOf(connector).run(await site.createUser('author'), signal());

  const targetOf = (given?: Partial<Target>) => createTarget(connection, given);

  beforeAll(async () => {
    connection = await connect();
    await connector.commit(targetOf({ platformOptions: { slug: 'taken' } }), signal());
  });

  test.each([
    ['public', {}, 'public'],
    ['with a taken slug', { slug: 'taken' }, 'public'],
    ['with a slug that WordPress keeps to itself', { slug: 'feed' }, 'public'],
    ['a draft', { status: 'draft' }, 'draft'],
    ['to review', { status: 'pending' }, 'draft'],
    ['private', { status: 'private' }, 'private'],
    ['HTML', { content_type: 'html' }, 'public'],
  ])('finds a lost post again: %s', async (_, platformOptions, visibility) => {
    const target = targetOf({ platformOptions });
    expect(await connector.reconcile!(target, signal())).toEqual({ outcome: 'absent' });
    const { published } = (await connector.commit(target, signal())) as { published: unknown };
    expect(published).toMatchObject({ visibility });
    expect(await connector.reconcile!(target, signal())).toEqual({
      outcome: 'published',
      published,
    });
  });

  test('finds a lost post in the trash', async () => {
    const target = targetOf();
    const outcome = await connector.commit(target, signal());
    const { externalId } = (outcome as { published: Published }).published;
    await site.call(connection.credentials, 'DELETE', `posts/${externalId}`);
    expect(await connector.reconcile!(target, signal())).toMatchObject({
      outcome: 'published',
      published: { externalId, visibility: null },
    });
  });

  describe('media', () => {
    const File = z.object({ alt_text: z.string(), source_url: z.url(), mime_type: z.string() });
    const Stored = z.object({
      featured_media: z.int(),
      content: z.object({ raw: z.string(), rendered: z.string() }),
    });
    const readFile = async (id: string | number) =>
      File.parse(await site.call(connection.credentials, 'GET', `media/${id}?context=edit`));

    /** As the site serves it. */
    async function hashOf(url: string): Promise<string> {
      const response = await fetch(url);
      return createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
    }

    test('are in the library byte for byte, and in the post', async () => {
      const thumbnail = await photo();
      const [first, second, video] = [
        await photo({ altText: 'A "tuba"' }),
        await photo({ contentType: 'image/png', altText: '<b> [gallery] & more' }),
        createVideo({ thumbnail }),
      ];
      const target = targetOf({ media: [first, second, video] });
      const state = await prepareTarget(connector, target, signal());
      const outcome = await connector.commit({ ...target, state }, signal());
      const { externalId } = (outcome as { published: Published }).published;
      expect(await connector.reconcile!(target, signal())).toEqual(outcome);
      const path = `posts/${externalId}?context=edit`;
      const { featured_media, content } = Stored.parse(
        await site.call(connection.credentials, 'GET', path),
      );
      const featured = await readFile(featured_media);
      expect(featured).toMatchObject({ alt_text: 'A "tuba"', mime_type: 'image/jpeg' });
      expect(await hashOf(featured.source_url)).toBe(first.sha256);
      const [, id] = /class="wp-image-(\d+)"/.exec(content.raw)!;
      const { source_url, mime_type } = await readFile(id!);
      expect(mime_type).toBe('image/png');
      expect(await hashOf(source_url)).toBe(second.sha256);
      expect(content.raw).toContain(
        `<img src="${source_url}" alt="&lt;b&gt; &#091;gallery] &amp; more" class="wp-image-${id}" />`,
      );
      const [, poster, src] = /<video controls poster="(.*?)" src="(.*?)"><\/video>/.exec(
        content.raw,
      )!;
      expect(await hashOf(src!)).toBe(video.sha256);
      expect(await hashOf(poster!)).toBe(thumbnail.sha256);
      expect(content.rendered).toContain(`src="${src}"`);
      expect(content.rendered).toContain(`wp-image-${id}`);
    });

    test('need no caption', async () => {
      for (const platformOptions of [{}, { featured_media: false }]) {
        const target = targetOf({ caption: '', media: [await photo()], platformOptions });
        const state = await prepareTarget(connector, target, signal());
        const outcome = await connector.commit({ ...target, state }, signal());
        expect(outcome).toMatchObject({ outcome: 'published' });
        expect(await connector.reconcile!(target, signal())).toEqual(outcome);
      }
    });

    test('are refused if the site refuses them', async () => {
      const image = await photo();
      const refuse = (given: Partial<Target>) =>
        refusal(prepareTarget(connector, targetOf(given), signal()));
      const webpage = { ...image, filename: 'page.html', contentType: 'text/html' };
      expect(await refuse({ media: [webpage] })).toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('not allowed to upload this file type') as string,
      });
      const { api } = connection.credentials;
      const { site: _, ...contributor } = await site.createUser('contributor');
      const credentials = { ...contributor, api: api! };
      expect(await refuse({ credentials, media: [image] })).toMatchObject({
        kind: 'rejected',
        options: { platformCode: 'rest_cannot_create' },
        message: 'The user may not upload files to WordPress: the role needs upload_files.',
      });
    });
  });

  test('creates a tag once, and takes a category by its name', async () => {
    const editor = await site.createUser('editor');
    await site.call(editor, 'POST', 'categories', { name: 'R&D "lab"' });
    const prepare = (options: object) =>
      prepareTarget(connector, targetOf({ platformOptions: { ...options } }), signal());
    const first = await prepare({ tags: ['Brass & wind'], categories: ['r&d "lab"'] });
    expect(first).toEqual({ tags: [expect.any(Number)], categories: [expect.any(Number)] });
    expect(await prepare({ tags: ['brass & WIND'] })).toEqual({ tags: first['tags'] });
    const error = await refusal(prepare({ categories: ['Nowhere'] }));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'category_not_found' },
    });
  });

  test('notices with every call that the password has ended', async () => {
    const { credentials, externalAccountId } = await connect();
    await connector.revoke!(loginOf(credentials), signal());
    const target = targetOf({ credentials, externalAccountId });
    for (const call of [connector.commit, connector.reconcile!]) {
      const error = await refusal(call(target, signal()));
      expect(error).toMatchObject({ kind: 'reauthorize', options: { isRevoked: true } });
    }
    const error = await refusal(connector.revoke!(loginOf(credentials), signal()));
    expect(error.kind).toBe('reauthorize');
  });
});
