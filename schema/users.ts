// Users of a project's own product, as far as their accounts show them.
import { z } from 'zod';
import { AccountPlatform } from './platforms/index.ts';
import { listQuery } from './wire/listing.ts';

const UserPlatform = z
  .object({
    platform: AccountPlatform.meta({ description: 'Network.' }),
    account_count: z.int().meta({ description: "Number of the user's connected accounts there." }),
  })
  .meta({ id: 'UserPlatform', description: "A user's accounts at one network." });

export const User = z
  .object({
    external_user_id: z.string().meta({ description: 'ID of the user in your system.' }),
    external_user_email: z.string().nullable().meta({
      description: 'Email address that you gave last. Null if you gave none.',
    }),
    account_count: z.int().meta({
      description:
        "Number of the user's connected accounts. Disconnected accounts do not count, so it can be 0.",
    }),
    reconnect_count: z.int().meta({
      description: 'Number of the connected accounts that the user must connect again.',
    }),
    platforms: z.array(UserPlatform).meta({ description: 'The connected accounts by network.' }),
    newest_account_id: z.string().meta({
      description: "ID of the user's newest account. Lists of users are in its order.",
    }),
  })
  .meta({
    id: 'User',
    description: 'A user of your product whom you named when an account was connected.',
  });
export type User = z.infer<typeof User>;

export const ListUsers = listQuery({});
