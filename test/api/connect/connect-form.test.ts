// The hosted form of a network with plain credentials, made from their schema.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { formPage, type FieldsForm } from '../../../api/connect/form.ts';
import { en } from '../../../api/http/pages/texts/en.ts';
import { AppError, validationError } from '../../../schema/wire/errors.ts';
import { bluesky } from '../../../schema/platforms/bluesky.ts';

const alternatives = z
  .strictObject({
    webhook_url: z
      .string()
      .optional()
      .meta({ title: 'Webhook URL', description: 'Settings.', 'x-secret': true }),
    bot_token: z.string().meta({ title: 'Bot token', 'x-secret': true }).optional(),
    channel_id: z.string().optional(),
  })
  .meta({ description: 'Paste a webhook. Or see https://example.com/bots, then `/invite` it.' });

async function render(schema: z.ZodType, form: Partial<FieldsForm> = {}) {
  const connect = [{ kind: 'form', fields: schema }];
  const platform = { definition: bluesky, connect } as unknown as Platform;
  const page = await formPage({
    platform,
    method: platform.connect[0]!,
    session: {
      id: 'cs_1',
      texts: en,
      network: 'Bluesky',
      brand: { name: 'Acme', color: null, logo: null },
      accountName: null,
      connected: [],
      returnUrl: null,
    },
    state: 's',
    values: {},
    ...form,
  });
  return (await page.text()).replaceAll(/\s+/g, ' ');
}

/** The tag of the control with this name. */
const controlIn = (text: string, name: string) =>
  new RegExp(`<(?:input|textarea) id="${name}"[^>]*>`).exec(text)![0];

describe('the form', () => {
  test('labels fields by their title, or by their name', async () => {
    const text = await render(alternatives);
    expect(text).toContain('<label for="webhook_url">Webhook URL</label>');
    expect(text).toContain('<label for="channel_id">Channel id</label>');
  });

  test('says above the fields how to get their values, with links that leave the form open', async () => {
    const text = await render(alternatives);
    expect(text).toContain(
      '<p>Paste a webhook. Or see <a href="https://example.com/bots" target="_blank" rel="noopener">https://example.com/bots</a>, then <code>/invite</code> it.</p>',
    );
    expect(text.indexOf('Paste a webhook')).toBeLessThan(text.indexOf('<label'));
  });

  test('makes no link of a URL in a message of the network', async () => {
    const refusal = validationError([
      {
        path: ['credentials', 'bot_token'],
        code: 'rejected',
        message: 'See https://evil.example/a.',
      },
      { path: ['platform'], code: 'rejected', message: 'Or https://evil.example/b.' },
    ]);
    const text = await render(alternatives, { error: refusal });
    expect(text).toContain('https://evil.example/a');
    expect(text).toContain('https://evil.example/b');
    expect(text).not.toContain('href="https://evil.example');
  });

  test('marks optional fields only beside required ones', async () => {
    expect(await render(alternatives)).not.toContain('(optional)');
    const mixed = z.strictObject({ site: z.string(), user: z.string().optional() });
    const text = await render(mixed);
    expect(text).toContain('<label for="user">User (optional)</label>');
    expect(controlIn(text, 'site')).toContain('required');
    expect(controlIn(text, 'user')).not.toContain('required');
  });

  test('ties each field to its description', async () => {
    const text = await render(alternatives);
    expect(controlIn(text, 'webhook_url')).toContain('aria-describedby="webhook_url-hint"');
    expect(text).toContain('<p class="quiet" id="webhook_url-hint">Settings.</p>');
    expect(controlIn(text, 'channel_id')).not.toContain('aria-describedby');
  });

  test('has room for several lines if the schema asks for them', async () => {
    const relays = z.strictObject({ relays: z.string().meta({ 'x-multiline': true }) });
    const text = await render(relays, { values: { relays: 'wss://a\nwss://<b>' } });
    expect(text).toMatch(/<textarea id="relays"[^>]*>wss:\/\/a wss:\/\/&lt;b&gt;<\/textarea>/);
  });

  test('hides secrets while they are typed and never shows them again', async () => {
    const values = { webhook_url: 'https://hooks.example/1/hush', channel_id: '7' };
    const text = await render(alternatives, { values });
    expect(controlIn(text, 'webhook_url')).toContain('type="password"');
    expect(controlIn(text, 'bot_token')).toContain('type="password"');
    expect(controlIn(text, 'channel_id')).toContain('value="7"');
    expect(text).not.toContain('hush');
  });

  test('shows an issue at its field, in the words of the page', async () => {
    const message = 'is required, or bot_token and channel_id';
    const error = validationError([
      { path: ['credentials', 'webhook_url'], code: 'invalid', message },
    ]);
    const text = await render(alternatives, { error });
    expect(text).toContain(
      '<p role="alert" id="webhook_url-error">Webhook URL is required, or Bot token and Channel id.</p>',
    );
    const control = controlIn(text, 'webhook_url');
    expect(control).toContain('aria-invalid="true"');
    expect(control).toContain('aria-describedby="webhook_url-error webhook_url-hint"');
    expect(control).toContain('autofocus');
    expect(controlIn(text, 'bot_token')).not.toMatch(/aria-invalid|autofocus/);
  });

  test("shows a network's own sentence as it is, though it begins with a host", async () => {
    const message = 'a.test is not a WordPress site.';
    const error = validationError([
      { path: ['credentials', 'bot_token'], code: 'invalid', message },
    ]);
    const text = await render(alternatives, { error });
    expect(text).toContain('id="bot_token-error">a.test is not a WordPress site.</p>');
  });

  test('shows an issue inside a field at that field, and an issue of no field above all fields', async () => {
    const error = validationError([
      { path: ['credentials', 'channel_id', 1], code: 'invalid', message: 'must be a number' },
      { path: ['credentials'], code: 'invalid', message: 'Choose one method.' },
    ]);
    const text = await render(alternatives, { error });
    expect(text).toContain('id="channel_id-error">Channel id must be a number.</p>');
    expect(text).toMatch(/<p role="alert">Choose one method.<\/p>.*<form/);
  });

  test('shows above all fields a failure that is about no field', async () => {
    const text = await render(alternatives, { error: new AppError('conflict', 'In use.') });
    expect(text).toMatch(/<p role="alert">In use.<\/p>.*<form/);
  });
});
