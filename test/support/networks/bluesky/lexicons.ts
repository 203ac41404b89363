// The lexicons and the token check of Bluesky's own packages, which the test server was installed with.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPds } from '../../servers/pds-installation.ts';

interface Validator {
  safeValidate(value: unknown): { success: boolean; reason?: Error };
}

/** A method of a lexicon, as the packages describe it. */
interface Method {
  $output: { schema: Validator };
}

interface ServiceToken {
  /** The DID of the account. */
  iss: string;
}

export interface Lexicons {
  /** Throws unless the answer has the form of the method's lexicon. */
  checkAnswer(method: string, answer: unknown): Promise<void>;
  /** Throws unless the account of the token signed it for this service and this method. */
  verifyToken(token: string, service: string, method: string): Promise<ServiceToken>;
}

export async function loadLexicons(plcUrl: string): Promise<Lexicons> {
  const packages = join(await installPds(), 'node_modules', '@atproto');
  const load = async <T>(path: string) =>
    (await import(pathToFileURL(join(packages, path)).href)) as T;
  const { jsonToLex } = await load<{ jsonToLex(json: unknown): unknown }>('lex-json/dist/index.js');
  const { verifyJwt } = await load<{ verifyJwt: VerifyJwt }>('xrpc-server/dist/index.js');
  const { DidResolver, getKey } = await load<Identity>('identity/dist/index.js');
  const accounts = new DidResolver({ plcUrl, fetch });
  return {
    async checkAnswer(method, answer) {
      const path = `pds/dist/lexicons/${method.replaceAll('.', '/')}.defs.js`;
      const { success, reason } = (await load<Method>(path)).$output.schema.safeValidate(
        jsonToLex(answer),
      );
      if (!success) throw reason ?? new Error(`Not an answer of ${method}.`);
    },
    verifyToken: (token, service, method) =>
      verifyJwt(token, service, method, async (did) => getKey(await accounts.resolve(did))),
  };
}

type VerifyJwt = (
  token: string,
  service: string,
  method: string,
  getSigningKey: (did: string) => Promise<string>,
) => Promise<ServiceToken>;

interface Identity {
  DidResolver: new (options: { plcUrl: string; fetch: typeof fetch }) => {
    resolve(did: string): Promise<unknown>;
  };
  getKey(document: unknown): string;
}
