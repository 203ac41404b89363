// The answer of a command: text for people, and one line of JSON for programs with `--json`.

/** Part of it is missing if the command has printed it itself. */
export interface Answer {
  text: string;
  /** Spelled as in the REST API. */
  data: unknown;
  /** Default: 0. */
  exitCode?: number;
}
