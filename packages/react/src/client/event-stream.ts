/** One event of a stream: the text of its `event:` and of its `data:`. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/**
 * Posthorn sends a comment every 12 seconds. A connection that is silent for longer is broken, although neither side has
 * closed it: the computer slept, or its network changed.
 */
export const SILENCE_MS = 40_000

/** The events of `text/event-stream`. Throws if the connection breaks or is silent. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    while (true) {
      const { done, value } = await within(silenceMs, reader.read())
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // An empty line ends an event.
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    // Also closes the connection, if it is open.
    reader.cancel().catch(() => {})
  }
}

function parseEvent(block: string): StreamEvent | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return event === 'message' && data.length === 0 ? null : { event, data: data.join('\n') }
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The connection is silent.')), ms)
  })
  try {
    return await Promise.race([promise, silence])
  } finally {
    clearTimeout(timer)
  }
}
