// Kinds of environment variables, each with its description for `--help`.
import { z } from 'zod';

export const text = (description: string) => z.string().optional().meta({ description });

export const number = (description: string, fallback: number, min = 0, max = 2 ** 31 - 1) =>
  z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)
    .default(fallback)
    .meta({ description });

const word = z.enum(['true', 'false'], 'must be true or false');

export const flag = (description: string, fallback: boolean) =>
  word
    .default(fallback ? 'true' : 'false')
    .transform((given) => given === 'true')
    .meta({ description });

/** Undefined means true without DATABASE_URL. */
export const developmentFlag = (description: string) =>
  word.optional().meta({
    description: `${description} Default: true without DATABASE_URL, false with it.`,
  });

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });

export const url = (description: string) => httpUrl.optional().meta({ description });

/** Base URL of an HTTP API. Removes trailing slashes. */
export const baseUrl = (description: string, fallback: string) =>
  httpUrl
    .default(fallback)
    .transform((given) => given.replace(/\/+$/, ''))
    .meta({ description });

/** Milliseconds. */
export const delays = (description: string, fallback: readonly number[]) =>
  z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be milliseconds, separated by commas')
    .transform((items) => items.split(',').map(Number))
    .default([...fallback])
    .meta({ description });

/** What an app asks for at a consent page. Their characters are those of RFC 6749, section 3.3. */
export const scopes = (description: string, fallback: readonly string[]) =>
  z
    .string()
    .regex(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/, 'must be scopes, separated by one space')
    .transform((given) => given.split(' '))
    .default([...fallback])
    .meta({ description });

/** Version of one of Meta's Graph APIs. */
export const graphVersion = (description: string, fallback: string) =>
  z
    .string()
    .regex(/^v\d+\.\d+$/, `must be a version such as ${fallback}`)
    .default(fallback)
    .meta({ description });
