/** The server sends something every 12 seconds, so a stream that is silent for longer is dead. */
const SILENCE_LIMIT_MS = 30_000

/**
 * `fetch`, whose event streams fail after 30 seconds of silence. A connection that a sleeping laptop or a network lost
 * reports no error by itself. A rejected stream says why in its first event, so it counts as opened.
 */
export function limitSilence(
  fetch: typeof globalThis.fetch,
  limitMs = SILENCE_LIMIT_MS,
): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { headers, body } = response
    if (!headers.get('content-type')?.startsWith('text/event-stream') || !body) return response
    return new Response(body.pipeThrough(silenceLimit(limitMs)), { headers })
  }
}

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
