// Replaces the types of @whatwg-node/fetch, which would add all of the browser's to the project.
export const Response: typeof globalThis.Response;

export function createFetch(): typeof globalThis;
