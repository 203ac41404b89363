// Credential fields: how a form shows them, which ones are secret, and those that several networks share.
import { z } from 'zod';
import type { ConnectMethod, Platform } from './platform.ts';

export interface CredentialField {
  name: string;
  label: string;
  description: string | undefined;
  isRequired: boolean;
  /** Shown as optional, because other fields are required. */
  isOptional: boolean;
  isMultiline: boolean;
  /** Typed as a password, and never shown again. */
  isSecret: boolean;
}

const FieldSchemas = z.object({
  description: z.string().optional(),
  properties: z.record(
    z.string(),
    z.object({
      title: z.string().optional(),
      description: z.string().optional(),
      'x-multiline': z.boolean().default(false),
      'x-secret': z.boolean().default(false),
    }),
  ),
  required: z.array(z.string()).default([]),
});

const noInputs = z.strictObject({});

/** The schema of the fields that the method asks the user for. */
export function fieldsOf(method: ConnectMethod): z.ZodType<Record<string, string>> {
  return method.kind === 'form' ? method.fields : (method.inputs ?? noInputs);
}

/** Reads the fields, with their labels and help, from the network's schema. */
export function readFields(schema: z.ZodType) {
  const { description, properties, required } = FieldSchemas.parse(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  const fields = Object.entries(properties).map(([name, schema]): CredentialField => {
    const isRequired = required.includes(name);
    return {
      name,
      label: schema.title ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
      description: schema.description,
      isRequired,
      isOptional: required.length > 0 && !isRequired,
      isMultiline: schema['x-multiline'],
      isSecret: schema['x-secret'],
    };
  });
  return { description, fields };
}

/** Names of the secret fields. If the network refuses them without a reason, the error names them. */
export function secretFieldsOf(schema: z.ZodType): string[] {
  return readFields(schema).fields.flatMap(({ name, isSecret }) => (isSecret ? [name] : []));
}

/** Names under which tokens are stored by a consent, or by a form that asks for a token. */
const oauthTokens = ['access_token', 'refresh_token'];

/** Names of stored credentials that nobody may see. Two logins with the same secret are the same login. */
export function sharedSecretsOf({ connect }: Platform): string[] {
  const typed = connect.flatMap((method) =>
    method.kind === 'form' ? secretFieldsOf(method.fields) : [],
  );
  return [...oauthTokens, ...typed];
}

/** A token or an ID, pasted by a user. */
export const pasted = (pattern: RegExp, message: string) =>
  z.string().trim().regex(pattern, message);

/** The part of `@ada@mastodon.example` before the server. */
const handleName = /^@?[\w.-]+@/;

/** The address of a user's server. It may have a protocol or not, and may follow a handle. */
export const ServerUrl = z
  .string()
  .trim()
  .max(300)
  .transform((given) =>
    /^https?:\/\//i.test(given) ? given : `https://${given.replace(handleName, '')}`,
  )
  .refine((given) => URL.canParse(given), 'must be the address of a server')
  // `https://mastodon.example@evil.example` is at evil.example.
  .refine((given) => {
    const url = URL.parse(given);
    return !url?.username && !url?.password;
  }, 'must be the address of a server, without a user name or password')
  .transform(withoutRootDot);

/**
 * Removes the final dot, because `one.example.` is the same host as `one.example`, but would be another
 * account.
 */
function withoutRootDot(given: string): string {
  const url = new URL(given);
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url.href;
}

/** Asks for a user's server, and keeps its origin. `example`: a server that users know. */
export const serverOrigin = (example: string) =>
  ServerUrl.transform((url) => new URL(url).origin).meta({
    title: 'Server',
    description: `Where you log in, such as ${example}.`,
  });
