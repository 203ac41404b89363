// The REST route of the limits.
import { Limits } from '../../schema/wire/limits.ts';
import { get, one } from '../http/route.ts';
import { getLimits } from './operations.ts';

export const limitRoutes = [
  get('/v1/limits', {
    name: 'getLimits',
    summary: 'Get the limits of this installation',
    scope: 'any key',
    answer: one(Limits),
    run: ({ context, caller }) => getLimits(context, caller),
  }),
];
