// The REST routes of users.
import { ListUsers, User } from '../../schema/users.ts';
import { del, get, list, one, removed } from '../http/route.ts';
import { eraseUser, getUser, listUsers } from './operations.ts';

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

  del('/v1/users/:external_user_id', {
    name: 'eraseUser',
    summary: 'Erase a user',
    description:
      "Disconnects the user's accounts, and cancels open connect sessions. Names, users and IDs of the accounts are erased at once. Within about an hour, IDs, URLs and the network's answers are erased from their results, and the events of the accounts and of their posts are deleted. Results keep their status and times. A repeated call erases what is left, and an unknown user is no error.",
    scope: 'accounts:write',
    answer: removed,
    run: ({ context, caller, params }) => eraseUser(context, caller, params.external_user_id),
  }),
];
