// A log whose lines a test can read.
import { pino } from 'pino';

export interface LogLine {
  level: number;
  msg: string;
  [field: string]: unknown;
}

export function createTestLog(level: 'debug' | 'info' | 'warn' = 'warn') {
  const lines: LogLine[] = [];
  const log = pino({ level }, { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}
