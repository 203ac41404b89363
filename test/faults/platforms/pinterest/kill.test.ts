// The program is killed after Pinterest has made a pin, before its answer arrives. Started again, it makes no second pin.
import { expect, test } from 'vitest';
import { removeDataDirectory, startProgram } from '../../../support/app/program.ts';
import { concluded, fast, waitFor } from '../../../support/checks/killed-program.ts';
import { createMedia, pngOf, putBytes } from '../../../support/media/uploads.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { boardId, createPinterestServer } from '../../../support/networks/pinterest/server.ts';
import { startNetwork } from '../../../support/networks/pinterest/subject.ts';
import { createBundledDirectory } from '../../../support/servers/bundled-directory.ts';

test('kill -9 in the middle of a post leaves one pin', async () => {
  const server = createPinterestServer();
  const [hasPinned, isKilled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { answer } = server;
  server.answer = async (request) => {
    const isPin = request.method === 'POST' && request.url.endsWith('/v5/pins');
    const response = await answer(request);
    if (isPin) {
      hasPinned.resolve();
      await isKilled.promise;
    }
    return response;
  };
  await using network = await startNetwork(createSwitchboard(), server);
  const dataDirectory = createBundledDirectory();
  const env = { ...fast, ...network.env, FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' };
  try {
    await using first = startProgram({ dataDirectory, env });
    const api = await first.waitForReady();
    const session = { platform: 'pinterest', external_user_id: 'user-1' };
    const created = await api.post('/v1/connect/sessions', session);
    await network.consent!(created.body.data.url);
    const { body } = await api.get('/v1/accounts?platform=pinterest');
    const { id: mediaId, upload_url } = await createMedia(api);
    await putBytes(upload_url, await pngOf(48, 48));
    const posted = await api.post('/v1/posts', {
      caption: 'Killed',
      media: [{ id: mediaId }],
      platform_posts: [{ account_id: body.data[0].id, platform_options: { board_id: boardId } }],
    });
    expect(posted.status, posted.text).toBe(202);
    await hasPinned.promise;
    await first.kill9();
    isKilled.resolve();

    await using second = startProgram({ dataDirectory, env });
    const again = await second.waitForReady();
    const post = await waitFor(() => concluded(again, posted.body.data.id));
    const [pin] = server.pins;
    expect(post).toMatchObject({
      status: 'published',
      results: [{ external_id: pin!.id, url: `https://www.pinterest.com/pin/${pin!.id}/` }],
    });
    expect(server.pins).toHaveLength(1);
  } finally {
    await removeDataDirectory(dataDirectory);
  }
}, 240_000);
