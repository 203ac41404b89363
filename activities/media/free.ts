// Frees the memory of bytes before the garbage collector would.
/**
 * Call it once the bytes are used. If the garbage collector has to free the chunks of a large body, the
 * process grows by up to 100 MB, and the collector runs so often that it takes more time than the upload.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  // Other code may use the rest of a shared buffer.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
