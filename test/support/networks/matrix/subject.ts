// Matrix for the contract test: a simulated homeserver with one user in one room.
import { matrix as definition } from '../../../../schema/platforms/matrix.ts';
import type { NetworkSubject } from '../contract/subject.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createMatrixServer, encryptedRoom, room } from './server.ts';

export const matrix: NetworkSubject = {
  name: 'matrix',
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  textLimit: definition.rules.text.max,
  options: [{ given: { is_notice: true }, arrives: { msgtype: 'm.notice' } }],
  refusal: { platformCode: 'M_FORBIDDEN', message: 'You may not post to the room' },

  async start(switchboard) {
    const network = createMatrixServer();
    const server = await startFaultyServer(network, switchboard);
    const credentials = { server: server.url, access_token: network.token, room };
    return {
      env: {},
      credentials,
      wrongCredentials: [
        { field: 'server', credentials: { ...credentials, server: `not a server` } },
        { field: 'access_token', credentials: { ...credentials, access_token: 'wrong-token' } },
        { field: 'room', credentials: { ...credentials, room: '!nowhere:matrix.test' } },
        { field: 'room', credentials: { ...credentials, room: encryptedRoom } },
      ],
      listPosts: () => network.listPosts(),
      listSecrets: () => [network.token],
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};
