// The project, the limits and the networks over REST.
import { beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, readFields } from '../../../activities/platforms/credential-fields.ts';
import { useRest } from '../../support/app/rest.ts';

let key: string;
let projectId: string;

const rest = useRest({ FANFARE_MAX_TARGETS: '7' });
beforeAll(async () => {
  ({ key, projectId } = await rest.createTenant());
});

describe('PATCH /v1/project', () => {
  test('changes the given fields, and null unsets', async () => {
    const changes = {
      name: 'Zoë & Söhne 🎺',
      brand_color: '#ff8800',
      privacy_url: 'https://example.com/privacy',
      terms_url: 'https://example.com/terms',
      support_url: 'https://example.com/support',
      return_origins: ['https://app.example.com'],
      monthly_posts_per_account: 100,
      publish_within_s: 3_600,
    };
    const answer = await rest.call('PATCH', '/v1/project', { key, body: changes });
    expect(answer.body.data).toEqual({
      id: projectId,
      ...changes,
      logo_media_id: null,
      dark_logo_media_id: null,
      created_at: expect.any(String),
    });
    const unset = await rest.call('PATCH', '/v1/project', { key, body: { brand_color: null } });
    expect(unset.body.data).toMatchObject({ ...changes, brand_color: null });
    expect((await rest.call('GET', '/v1/project', { key })).body.data).toEqual(unset.body.data);
    const limits = await rest.call('GET', '/v1/limits', { key });
    expect(limits.body.data.posts_per_account_and_month).toBe(100);
  });

  test('stores the origins of return_origins', async () => {
    const return_origins = ['https://App.example.com/done?tab=1#top', 'http://localhost:3000/'];
    const answer = await rest.call('PATCH', '/v1/project', { key, body: { return_origins } });
    expect(answer.body.data.return_origins).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
    ]);
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ brand_color: 'red' }, 'brand_color'],
    [{ logo_media_id: 'med_none' }, 'logo_media_id'],
    [{ privacy_url: 'https://user:secret@example.com/privacy' }, 'privacy_url'],
    [{ privacy_url: 'http://example.com/privacy' }, 'privacy_url'],
    [{ terms_url: 'http://example.com/terms' }, 'terms_url'],
    [{ support_url: 'http://example.com/help' }, 'support_url'],
    [{ name: 'Acme\nInc' }, 'name'],
    [{ name: 'Acme\u202e' }, 'name'],
    [{ name: ' \u200b' }, 'name'],
    [{ return_origins: ['https://a.example', 'javascript:alert(1)'] }, 'return_origins[1]'],
    [{ return_origins: ['*'] }, 'return_origins[0]'],
    [{ return_origins: ['https://*'] }, 'return_origins[0]'],
    [{ monthly_posts_per_account: -1 }, 'monthly_posts_per_account'],
    [{ monthly_posts_per_account: 1.5 }, 'monthly_posts_per_account'],
    [{ publish_within_s: 59 }, 'publish_within_s'],
    [{ id: 'prj_mine' }, 'id'],
  ])('refuses %o', async (body, path) => {
    const answer = await rest.call('PATCH', '/v1/project', { key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toMatchObject([{ path }]);
  });
});

test.each(['https://*', 'https://*.example.com', 'http://%2A:3000', 'https://a.*/done'])(
  'the return origin %s is refused, because it would never match',
  async (origin) => {
    const body = { return_origins: ['https://a.example', origin] };
    const answer = await rest.call('PATCH', '/v1/project', { key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toEqual([
      expect.objectContaining({
        path: 'return_origins[1]',
        code: 'wildcard',
        message: "must not contain '*': list each origin",
      }),
    ]);
  },
);

describe('GET /v1/limits', () => {
  test('lists the limits of this installation', async () => {
    const { body } = await rest.call('GET', '/v1/limits', { key });
    expect(body.data).toMatchObject({
      requests_per_minute: 6000,
      body_bytes: 524_288,
      bulk_body_bytes: 4_194_304,
      body_values: 10_000,
      image_bytes: 67_108_864,
      image_pixels: { jpeg: 50e6, png: 24e6, webp: 24e6, avif: 12e6, gif: 50e6 },
      animation_pixels: 500e6,
      targets_per_post: 7,
      webhook_timeout_ms: 10_000,
      webhook_retry_delays_ms: [30_000, 120_000, 600_000],
      account_warning_percent: 80,
    });
  });
});

test('no form to connect an account names Fanfare, because users know the project', () => {
  for (const { definition, connect } of rest.context.platforms.values()) {
    const words = connect.map((method) => JSON.stringify(readFields(fieldsOf(method))));
    expect(words.join(' '), definition.name).not.toContain('Fanfare');
  }
});

describe('GET /v1/platforms/capabilities', () => {
  test('shows the tables that validation reads', async () => {
    const { body } = await rest.call('GET', '/v1/platforms/capabilities', { key });
    const bluesky = body.data.find((entry: { platform: string }) => entry.platform === 'bluesky');
    const { rules } = rest.context.platforms.get('bluesky')!.definition;
    expect(bluesky).toMatchObject({
      text: { max: rules.text.max, max_bytes: rules.text.maxBytes, unit: 'graphemes' },
      options: { type: 'object', additionalProperties: false },
      connect: { credentials: { type: 'object' }, consent: true },
    });
    const { image, video, ...media } = bluesky.media;
    expect(media).toEqual({
      max: 10,
      can_mix: false,
      document: null,
      max_alt_text: 2_000,
      needs_url: false,
    });
    expect(image).toMatchObject({
      max: 10,
      types: rules.media!.image!.types,
      max_bytes: 2_000_000,
      max_width: null,
      max_duration_ms: null,
    });
    expect(video).toMatchObject({
      max: 1,
      types: ['video/mp4'],
      max_bytes: 300_000_000,
      max_duration_ms: 600_000,
    });
  });

  test('describes each credential and how to get it', async () => {
    const { body } = await rest.call('GET', '/v1/platforms/capabilities', { key });
    const words = { title: expect.any(String), description: expect.any(String) };
    for (const { platform, connect } of body.data) {
      if (connect.credentials === null || connect.consent) continue;
      const { description, properties } = connect.credentials;
      expect(description, platform).toEqual(expect.any(String));
      for (const property of Object.values(properties)) expect(property).toMatchObject(words);
    }
  });
});
