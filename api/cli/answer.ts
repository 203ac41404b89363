// The answer of a command: text for people, and one line of JSON for programs with `--json`.

export interface Answer {
  text: string;
  /** Spelled as in the REST API. */
  data: unknown;
}

export const writeAnswer = ({ text, data }: Answer, isJson: boolean | undefined): string =>
  isJson ? JSON.stringify(data) : text;
