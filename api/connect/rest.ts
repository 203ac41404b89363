// The REST routes of connect sessions.
import { ConnectSession, CreateConnectSession } from '../../schema/accounts.ts';
import { get, one, post, written } from '../http/route.ts';
import { createConnectSession, getConnectSession } from './operations.ts';

export const connectRoutes = [
  post('/v1/connect/sessions', {
    name: 'createConnectSession',
    summary: 'Create a connect session',
    description:
      'A connect session is a hosted page on which a user connects an account, or reconnects one.',
    scope: 'accounts:write',
    body: CreateConnectSession,
    location: ({ data }) => `/v1/connect/sessions/${data.id}`,
    answer: written(201, ConnectSession),
    run: ({ context, caller, body }) => createConnectSession(context, caller, body),
  }),

  get('/v1/connect/sessions/:id', {
    name: 'getConnectSession',
    summary: 'Get a connect session',
    scope: 'accounts:read',
    answer: one(ConnectSession),
    run: ({ context, caller, params }) => getConnectSession(context, caller, params.id),
  }),
];
