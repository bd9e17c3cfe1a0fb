import { readEvents } from './event-stream.ts'
import { type PosthornError, type Result, unreachable } from './posthorn-error.ts'
import { readBody, readResponse } from './read-response.ts'

type Stream = ReadableStream<Uint8Array>

/** The stream of a response that accepts the subscription. */
export async function streamOf(response: Response): Promise<Result<Stream>> {
  const { ok, headers, body } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream')
  if (body !== null && isStream) {
    if (ok) return { ok, value: body }
    // Posthorn rejects a token with a stream of one error.
    return { ok, error: await readStream(body, () => {}) }
  }
  const read = await readResponse<never>(response)
  return read.ok ? unreachable('The answer is not a stream of events.') : read
}

/** Reads until the stream ends, and returns why. */
export async function readStream<Data>(
  body: Stream,
  onData: (data: Data) => void,
): Promise<PosthornError> {
  try {
    for await (const { event, data } of readEvents(body)) {
      if (event === 'complete') break
      if (event !== 'next') continue
      const read = readBody<Data>(JSON.parse(data))
      if (!read.ok) return read.error
      onData(read.value)
    }
  } catch (error) {
    return unreachable(error).error
  }
  return unreachable('The stream has ended.').error
}
