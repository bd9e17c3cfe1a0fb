/** A request body exactly as received: its bytes (a `Buffer` is a `Uint8Array`), or a string, encoded as UTF-8. */
export type RawBody = Uint8Array | ArrayBuffer | string

/** The bytes of a body, not copied. Throws a `TypeError` for anything else, such as a parsed body, with the remedy. */
export function toBytes(
  rawBody: unknown,
  remedy = "keep the raw body, e.g. with express.raw({ type: '*/*' }) or await request.arrayBuffer()",
): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  }
  if (isArrayBuffer(rawBody)) return new Uint8Array(rawBody)
  throw new TypeError(
    `The raw body must be a Uint8Array, an ArrayBuffer or a string, not ${kindOf(rawBody)}. ` +
      `The signature covers the bytes as received, so a body parsed as JSON cannot be verified: ${remedy}.`,
  )
}

export function isRawBody(value: unknown): value is RawBody {
  return typeof value === 'string' || ArrayBuffer.isView(value) || isArrayBuffer(value)
}

/** Unlike `instanceof`, this also recognizes a buffer from another realm, as in Jest or `node:vm`. */
function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}
