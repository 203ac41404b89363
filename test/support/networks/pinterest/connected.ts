// A simulated Pinterest behind a port, and an account of it that is connected.
import { createPinterest } from '../../../../activities/platforms/pinterest/index.ts';
import type {
  EditedPost,
  Fetch,
  Login,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { createClient } from '../../receivers/loopback.ts';
import { giveConsent, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, targetOf } from '../target.ts';
import { boardId, createPinterestServer, type Pin } from './server.ts';

const never = new AbortController().signal;

/** `send`: the `fetch` that reaches Pinterest after the login. */
export async function startPinterest({ send }: { send?: Fetch } = {}) {
  const server = createPinterestServer();
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const settings = { apiUrl: url, loginUrl: url };
  const pinterest = createPinterest({ ...createClient(), ...settings });
  const { id: clientId, secret: clientSecret } = server.logins.client;
  const app = { id: 'app_of_a_test', clientId, clientSecret };
  const logIn = () => giveConsent(pinterest, app, never);
  const connection = toConnection(await logIn());
  const login: Login = { credentials: connection.credentials, app };
  server.calls.length = 0;
  const connector = send ? createPinterest({ fetch: send, ...settings }) : pinterest;
  return {
    server,
    pinterest: connector,
    app,
    logIn,
    login,
    connection,
    target: ({ platformOptions, ...change }: Partial<Target> = {}) =>
      targetOf(connection, {
        ...change,
        platformOptions: { board_id: boardId, ...platformOptions },
      }),
    /** The pin as a published post, with what an edit changes. */
    post: ({ id }: Pin, change: Partial<EditedPost> = {}): EditedPost => ({
      resultId: newId('result'),
      externalAccountId: connection.externalAccountId,
      externalId: id,
      caption: '',
      altTexts: [],
      publishedAt: null,
      replyTo: null,
      credentials: connection.credentials,
      traits: {},
      changed: {},
      ...change,
      platformOptions: { board_id: boardId, ...change.platformOptions },
    }),
    ...phasesOf(connector),
    [Symbol.asyncDispose]: close,
  };
}
