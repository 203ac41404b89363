// The REST routes of users.
import { ListUsers, User } from '../../schema/users.ts';
import { get, list, one } from '../http/route.ts';
import { getUser, listUsers } from './operations.ts';

export const userRoutes = [
  get('/v1/users', {
    name: 'listUsers',
    summary: 'List users',
    description: 'The users whom you named when accounts were connected, newest account first.',
    scope: 'accounts:read',
    query: ListUsers,
    answer: list(User),
    run: ({ context, caller, query }) => listUsers(context, caller, query),
  }),

  get('/v1/users/:external_user_id', {
    name: 'getUser',
    summary: 'Get a user',
    scope: 'accounts:read',
    answer: one(User),
    run: ({ context, caller, params }) => getUser(context, caller, params.external_user_id),
  }),
];
