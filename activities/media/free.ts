// Frees the memory of bytes before the garbage collector would.
/**
 * Call it once the bytes are used. Left to the garbage collector, the chunks of a large body make a process
 * grow by up to 100 MB, and make the collector run so often that it takes more time than the upload.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  // Others may use the rest of a shared buffer.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
