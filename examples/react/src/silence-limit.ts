/** Posthorn sends something every 12 seconds, so a stream that is silent for longer is dead, without an error. */
const SILENCE_LIMIT_MS = 30_000

/** `fetch`, whose event streams fail after 30 seconds of silence, as after a laptop slept. */
export const limitSilence: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  let timer: ReturnType<typeof setTimeout>
  function restart(controller: TransformStreamDefaultController<Uint8Array>) {
    clearTimeout(timer)
    timer = setTimeout(() => controller.error(new TypeError('Silent.')), SILENCE_LIMIT_MS)
  }
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    start: restart,
    transform(chunk, controller) {
      restart(controller)
      controller.enqueue(chunk)
    },
    flush: () => clearTimeout(timer),
  })
  return new Response(response.body?.pipeThrough(limit), response)
}
