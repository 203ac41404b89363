// A text of the API, in which names stand between backticks.
export function CodeText({ text }: { text: string }) {
  // Every second part was between backticks.
  return text.split(/`([^`]+)`/).map((part, at) =>
    // The parts of one text keep their places.
    // oxlint-disable-next-line react/no-array-index-key
    at % 2 === 0 ? part : <code key={at}>{part}</code>,
  );
}
