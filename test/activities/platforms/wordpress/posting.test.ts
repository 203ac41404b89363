// Posts to WordPress: how a caption becomes content, terms, errors, and how a lost post is found.
import { describe, expect, test } from 'vitest';
import { isGone } from '../../../../activities/platforms/platform-error.ts';
import { startConnected } from '../../../support/networks/wordpress/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

describe('the content', () => {
  test('has a paragraph for each part between blank lines, with the mark in the first', async () => {
    await using network = await startConnected();
    const { content, title } = await network.publish('One\ntwo\r\n \n\nThree ');
    expect(content.replace(/res_\w+/, 'res_…')).toBe(
      [
        '<!-- wp:paragraph {"metadata":{"fanfare":"res_…"}} -->\n<p>One<br>two</p>\n<!-- /wp:paragraph -->',
        '<!-- wp:paragraph -->\n<p>Three</p>\n<!-- /wp:paragraph -->',
      ].join('\n\n'),
    );
    expect(title).toBeUndefined();
  });

  test.each([
    ['a < b & "c" > d', 'a &lt; b &amp; "c" &gt; d'],
    ['<!-- wp:html --><script>', '&lt;!-- wp:html --&gt;&lt;script&gt;'],
    ['[gallery]', '&#091;gallery]'],
    [
      'See https://a.example/?b=1&c=[2]. And (http://d.example/e)!',
      'See <a href="https://a.example/?b=1&amp;c=&#091;2">https://a.example/?b=1&amp;c=&#091;2</a>]. And (<a href="http://d.example/e">http://d.example/e</a>)!',
    ],
    [
      'https://a.example/"><b>',
      '<a href="https://a.example/">https://a.example/</a>"&gt;&lt;b&gt;',
    ],
  ])('shows the text as it was written: %s', async (caption, html) => {
    await using network = await startConnected();
    const { content } = await network.publish(caption);
    expect(content.split('\n')[1]).toBe(`<p>${html}</p>`);
  });

  test('is the HTML itself if the post says so', async () => {
    await using network = await startConnected();
    const { content } = await network.publish('<h2>a &amp; b</h2>\n\nc', { content_type: 'html' });
    expect(content.replace(/res_\w+/, 'res_…')).toBe(
      '<!-- wp:html {"metadata":{"fanfare":"res_…"}} -->\n<h2>a &amp; b</h2>\n\nc\n<!-- /wp:html -->',
    );
  });
});

describe('terms', () => {
  test('are found by their names, and tags are created once', async () => {
    await using network = await startConnected();
    const { site } = network;
    site.categories.push('R&amp;D', 'R&amp;D news');
    site.tags.push('brass');
    const { categories, tags } = await network.publish('a', {
      categories: ['r&d'],
      tags: ['BRASS', 'wind & wood'],
    });
    expect({ categories, tags }).toEqual({ categories: [2], tags: [1, 2] });
    expect(site.tags).toEqual(['brass', 'wind &amp; wood']);
  });

  test('fail the post before it is made if they are unknown categories', async () => {
    await using network = await startConnected();
    const platformOptions = { categories: ['Nowhere'] };
    const error = await refusal(network.prepare(network.targetOf({ platformOptions })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'The WordPress site has no category named "Nowhere".',
      options: { platformCode: 'category_not_found' },
    });
    expect(network.site.categories).toEqual(['Uncategorized']);
  });

  test('cost no call if the post names none', async () => {
    await using network = await startConnected();
    network.site.calls.length = 0;
    await network.publish('a', { title: 'A' });
    expect(network.site.calls).toEqual(['POST wp/v2/posts']);
  });
});

describe('a refusal', () => {
  const json = (code: string, message: string) => JSON.stringify({ code, message, data: null });

  test.each([
    [
      400,
      json('rest_invalid_param', 'Invalid parameter(s): slug'),
      'rejected',
      'rest_invalid_param',
    ],
    [
      400,
      json('empty_content', 'Content, title, and excerpt are empty.'),
      'rejected',
      'empty_content',
    ],
    [401, json('rest_cannot_create', 'Sorry'), 'reauthorize', 'rest_cannot_create'],
    [
      401,
      json('application_passwords_disabled', 'No'),
      'reauthorize',
      'application_passwords_disabled',
    ],
    [401, '<html>Unauthorized</html>', 'rejected', '401'],
    [403, json('rest_cannot_create', 'Sorry'), 'rejected', 'rest_cannot_create'],
    [403, json('rest_cannot_publish', 'Sorry'), 'rejected', 'rest_cannot_publish'],
    [403, '<html>Blocked by a plugin</html>', 'rejected', '403'],
    [404, json('rest_no_route', 'No route was found'), 'rejected', 'rest_no_route'],
    [429, '<html>Too Many Requests</html>', 'rate_limited', '429'],
    [301, '', 'unavailable', '301'],
    [
      500,
      json('internal_server_error', '<p>Critical</p>'),
      'unknown_outcome',
      'internal_server_error',
    ],
    [502, '<html>Bad Gateway</html>', 'unknown_outcome', '502'],
    [503, json('wp_die', 'Briefly unavailable'), 'unknown_outcome', 'wp_die'],
    [201, '<b>Warning</b>: {"id":1}', 'unknown_outcome', undefined],
    [201, '{"id":0}', 'unknown_outcome', undefined],
  ])('ends a commit answered with %i %s as %s', async (status, body, kind, platformCode) => {
    await using network = await startConnected();
    network.site.answer = () => new Response(body, { status });
    const error = await refusal(network.commit(network.targetOf()));
    expect([error.kind, error.options.platformCode]).toEqual([kind, platformCode]);
    expect(error.message).not.toContain('<');
  });

  test('has the words of WordPress without their markup, and no password', async () => {
    await using network = await startConnected();
    const { password } = network.author;
    const words = `<strong>Error:</strong> ${password} or ${password.replaceAll(' ', '')}.`;
    network.site.answer = () => new Response(json('odd', words), { status: 400 });
    const { message, options } = await refusal(network.commit(network.targetOf()));
    expect(message).toBe('WordPress refused the request: odd: Error: [redacted] or [redacted].');
    expect(options.providerError).toEqual({
      status: 400,
      code: 'odd',
      message: 'Error: [redacted] or [redacted].',
    });
  });

  test('means a revoked access, for every call, once the password is deleted', async () => {
    await using network = await startConnected();
    const { targetOf } = network;
    network.site.revokeToken();
    const calls = [
      () => network.prepare(targetOf({ platformOptions: { tags: ['a'] } })),
      () => network.commit(targetOf()),
      () => network.reconcile(targetOf()),
      () => network.revoke(),
    ];
    for (const call of calls) {
      expect(await refusal(call())).toMatchObject({
        kind: 'reauthorize',
        options: { isRevoked: true },
      });
    }
  });
});

describe('a published post', () => {
  test.each([
    ['publish', 'public'],
    ['private', 'private'],
    ['pending', 'draft'],
    ['draft', 'draft'],
  ])('has the status %s, and is %s', async (status, visibility) => {
    await using network = await startConnected();
    const target = network.targetOf({ platformOptions: { status } });
    const published = expect.objectContaining({ visibility });
    expect(await network.commit(target)).toMatchObject({ published });
    expect(await network.reconcile(target)).toMatchObject({ published });
  });

  test.each(['future', 7, undefined])('shows no visibility if its status is %o', async (status) => {
    await using network = await startConnected();
    network.site.answer = () => Response.json({ id: 5, link: 'http://site.test/5/', status });
    const outcome = await network.commit(network.targetOf());
    expect(outcome).toMatchObject({ published: { externalId: '5', visibility: null } });
  });
});

describe('a lost post', () => {
  test.each([{}, { slug: 'taken' }, { status: 'draft' }, { content_type: 'html' }])(
    'is found among the posts of its author: %j',
    async (platformOptions) => {
      await using network = await startConnected();
      await network.publish('Another one', { slug: 'taken' });
      const target = network.targetOf({ platformOptions });
      expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
      const committed = await network.commit(target);
      expect(await network.reconcile(target)).toEqual(committed);
    },
  );

  test("is found even if it was edited, or if the site's clock is 90 minutes slow", async () => {
    await using network = await startConnected();
    const target = network.targetOf();
    await network.commit(target);
    const post = network.site.posts[0]!;
    post.fields.content = `${post.fields.content.replace('Hello', 'Good day')}<p>More</p>`;
    post.date = new Date(Date.now() - 90 * 60_000);
    expect(await network.reconcile(target)).toMatchObject({ outcome: 'published' });
  });

  test('is unknown behind a hundred other posts', async () => {
    await using network = await startConnected();
    const target = network.targetOf();
    await network.publish('Another one');
    const [other] = network.site.posts;
    for (let i = 0; i < 99; i++) network.site.posts.push(other!);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });
});

describe('disconnecting', () => {
  test('deletes the application password, and no other', async () => {
    await using network = await startConnected();
    const other = network.site.addUser('bob', 'author');
    await network.revoke();
    expect(network.site.hasPassword(network.author)).toBe(false);
    expect(network.site.hasPassword(other)).toBe(true);
  });
});

test('deleting a post again says that it is gone', async () => {
  await using network = await startConnected();
  await network.publish('a');
  const { id } = network.site.posts.at(-1)!;
  const signal = AbortSignal.timeout(10_000);
  const post = { ...network.targetOf(), externalId: String(id), altTexts: [], publishedAt: null };
  const remove = () => network.wordpress.unpublish!.remove(post, signal);
  await remove();
  const error = await remove().catch((thrown: unknown) => thrown);
  expect(isGone(error)).toBe(true);
  expect(network.site.posts).toEqual([]);
});
