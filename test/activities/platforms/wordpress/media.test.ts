// Media at WordPress: their upload to the library, their blocks in the content, and refusals.
import { describe, expect, test } from 'vitest';
import type { TargetMedia } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startConnected } from '../../../support/networks/wordpress/connected.ts';

const never = new AbortController().signal;
/** A JPEG without an alt text. */
const photo = (change: Partial<TargetMedia> = {}) =>
  createImage({ contentType: 'image/jpeg', altText: null, ...change });
const shorten = (content: string) => content.replace(/res_\w+/, 'res_…');
const folder = 'http://site.test/wp-content/uploads';

describe('media', () => {
  test('arrive byte for byte, each with its alt text in one call', async () => {
    await using network = await startConnected();
    const { site } = network;
    site.calls.length = 0;
    const thumbnail = await photo();
    const media = [
      await photo({ altText: 'A tuba' }),
      await photo({ contentType: 'image/png' }),
      createVideo({ altText: 'A march', thumbnail }),
    ];
    await network.publish('Hello', {}, media);
    const [first, second, video] = media;
    expect(site.files).toMatchObject(
      [first!, second!, video!, thumbnail].map(({ sha256, filename, contentType, altText }) => ({
        sha256,
        filename,
        type: contentType,
        altText: altText ?? '',
      })),
    );
    const uploads = site.files.map(() => 'POST wp/v2/media');
    expect(site.calls).toEqual([...uploads, 'POST wp/v2/posts']);
  });

  test('take one upload per step, after the terms', async () => {
    await using network = await startConnected();
    const { site, wordpress, targetOf } = network;
    site.calls.length = 0;
    const media = [await photo(), await photo()];
    const target = targetOf({ media, platformOptions: { tags: ['brass'] } });
    const first = await wordpress.prepare!(target, never);
    expect(first).toMatchObject({ outcome: 'more', waitMs: 0, state: { tags: [1] } });
    const second = await wordpress.prepare!({ ...target, state: first.state }, never);
    expect(second).toMatchObject({ outcome: 'prepared', state: { tags: [1] } });
    expect(site.calls).toEqual(['POST wp/v2/tags', 'POST wp/v2/media', 'POST wp/v2/media']);
    await wordpress.commit({ ...target, state: second.state }, never);
    expect(site.posts[0]!.fields).toMatchObject({ tags: [1], featured_media: 101 });
  });
});

describe('the content', () => {
  test('has every file but the first image, which is the featured image', async () => {
    await using network = await startConnected();
    const thumbnail = await photo({ filename: 'still.jpg' });
    const { content, featured_media } = await network.publish('Hello', {}, [
      createVideo({ filename: 'march.mp4', thumbnail }),
      await photo({ filename: 'first.jpg' }),
      await photo({ filename: 'second.jpg', altText: '"Loud" [gallery]\n& <b>' }),
    ]);
    expect(featured_media).toBe(103);
    expect(shorten(content)).toBe(
      [
        '<!-- wp:paragraph {"metadata":{"fanfare":"res_…"}} -->\n<p>Hello</p>\n<!-- /wp:paragraph -->',
        `<!-- wp:video {"id":101} -->\n<figure class="wp-block-video"><video controls poster="${folder}/still.jpg" src="${folder}/march.mp4"></video></figure>\n<!-- /wp:video -->`,
        `<!-- wp:image {"id":104,"sizeSlug":"full","linkDestination":"none"} -->\n<figure class="wp-block-image size-full"><img src="${folder}/second.jpg" alt="&quot;Loud&quot; &#091;gallery] &amp; &lt;b&gt;" class="wp-image-104"/></figure>\n<!-- /wp:image -->`,
      ].join('\n\n'),
    );
  });

  test('has every file if no image is to be featured, and has the mark even without a caption', async () => {
    await using network = await startConnected();
    const image = await photo({ filename: 'first.jpg' });
    const fields = await network.publish('', { featured_media: false }, [image]);
    expect(fields.featured_media).toBeUndefined();
    expect(shorten(fields.content)).toBe(
      `<!-- wp:image {"id":101,"sizeSlug":"full","linkDestination":"none","metadata":{"fanfare":"res_…"}} -->\n<figure class="wp-block-image size-full"><img src="${folder}/first.jpg" alt="" class="wp-image-101"/></figure>\n<!-- /wp:image -->`,
    );
  });

  test('has the files after a caption in HTML', async () => {
    await using network = await startConnected();
    const media = [await photo(), await photo()];
    const { content } = await network.publish('<h2>a</h2>', { content_type: 'html' }, media);
    expect(shorten(content)).toMatch(
      /^<!-- wp:html {"metadata":{"fanfare":"res_…"}} -->\n<h2>a<\/h2>\n<!-- \/wp:html -->\n\n<!-- wp:image {"id":102,/,
    );
  });

  test.each([{}, { featured_media: false }])(
    'can be found again without a caption: %j',
    async (platformOptions) => {
      await using network = await startConnected();
      const target = network.targetOf({
        caption: '',
        media: [await photo()],
        platformOptions,
      });
      const committed = await network.commit({ ...target, state: await network.prepare(target) });
      expect(committed).toMatchObject({ outcome: 'published' });
      expect(await network.reconcile(target)).toEqual(committed);
    },
  );
});

describe('an upload', () => {
  test('is refused if the user may not upload', async () => {
    await using network = await startConnected();
    const { login, password } = network.site.addUser('walt', 'writer');
    const { credentials } = await network.connect({
      username: login,
      application_password: password,
    });
    const target = network.targetOf({ credentials, media: [await photo()] });
    expect(await refusal(network.prepare(target))).toMatchObject({
      kind: 'rejected',
      message: 'The user may not upload files to WordPress: the role needs upload_files.',
      options: { platformCode: 'rest_cannot_create' },
    });
  });

  test('is refused if it is over the limit of PHP', async () => {
    const media = [await photo()];
    await using network = await startConnected({ maxUploadBytes: media[0]!.bytes - 1 });
    expect(await refusal(network.prepare(network.targetOf({ media })))).toMatchObject({
      kind: 'rejected',
      message:
        'WordPress refused the request: rest_upload_unknown_error: The uploaded file exceeds the upload_max_filesize directive in php.ini.',
    });
  });

  test.each([
    [
      413,
      '<html>Request Entity Too Large</html>',
      'rejected',
      'WordPress refused the request: HTTP 413, not from WordPress: the file is larger than the web server allows.',
    ],
    [
      400,
      '{"code":"rest_upload_no_data","message":"No data supplied."}',
      'rejected',
      'WordPress refused the request: rest_upload_no_data: No data supplied. The file may exceed the post_max_size of PHP.',
    ],
    [500, '{"code":"internal_server_error","message":"Critical"}', 'unavailable', undefined],
  ])('turns the answer %i %s into %s', async (status, body, kind, message) => {
    await using network = await startConnected();
    network.site.answer = () => new Response(body, { status });
    const media = [await photo()];
    const error = await refusal(network.prepare(network.targetOf({ media })));
    expect(error.kind).toBe(kind);
    if (message) expect(error.message).toBe(message);
  });
});
