// The log of a process: JSON lines on its standard error.
import pino, { type Logger } from 'pino';
import type { Config } from '../../schema/config/config.ts';

export function createLog({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  return pino({ level: logLevel }, pino.destination(2));
}
