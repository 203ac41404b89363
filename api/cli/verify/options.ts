// Reads the options of `verify` from the command line.
import {
  readClientOptions,
  type ClientArguments,
  type ClientDefaults,
  type ClientOptions,
} from '../client-options.ts';
import { InvalidArgument } from '../invalid-argument.ts';

export interface VerifyArguments extends ClientArguments {
  publish?: boolean | undefined;
  'publish-public'?: boolean | undefined;
  report?: string | undefined;
  json?: boolean | undefined;
}

export interface VerifyOptions extends ClientOptions {
  accountId: string;
  /** Undefined: nothing is published. */
  publish: true | 'public' | undefined;
  /** Path of the report. Undefined: none. */
  report: string | undefined;
  /** Whether only the check is printed, as JSON. */
  json?: boolean;
}

/** Throws an InvalidArgument. */
export async function readVerifyOptions(
  accountId: string,
  given: VerifyArguments,
  config: ClientDefaults,
): Promise<VerifyOptions> {
  if (!/^sa_\w+$/.test(accountId)) {
    throw new InvalidArgument('Name one account by its ID, as in `verify sa_…`.');
  }
  return {
    ...(await readClientOptions(given, config)),
    accountId,
    publish: given['publish-public'] ? 'public' : given.publish || undefined,
    report: given.report,
    ...(given.json ? { json: true } : {}),
  };
}
