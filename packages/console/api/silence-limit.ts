/** The server sends something every 12 seconds, so a stream that is silent for longer is dead. */
const SILENCE_LIMIT_MS = 30_000

export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/**
 * `fetch`, whose event streams fail after 30 seconds of silence. A connection that a sleeping laptop or a network lost
 * reports no error by itself.
 */
export function limitSilence(fetch: Fetch, limitMs = SILENCE_LIMIT_MS): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (!isStream || !response.body) return response
    return new Response(response.body.pipeThrough(silenceLimit(limitMs)), response)
  }
}

/** The `fetch` of the console's requests. */
export const fetchUnlessSilent = limitSilence((input, init) => fetch(input, init))

function silenceLimit(limitMs: number): TransformStream<Uint8Array, Uint8Array> {
  let timer: ReturnType<typeof setTimeout>
  function restart(controller: TransformStreamDefaultController<Uint8Array>) {
    clearTimeout(timer)
    timer = setTimeout(() => controller.error(new TypeError('The stream is silent.')), limitMs)
  }
  return new TransformStream({
    start: restart,
    transform(chunk, controller) {
      restart(controller)
      controller.enqueue(chunk)
    },
    flush: () => clearTimeout(timer),
  })
}
