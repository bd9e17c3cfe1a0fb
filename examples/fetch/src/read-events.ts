export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** The server-sent events of a response. (`EventSource` itself can send no `authorization`.) */
export async function* readEvents(body: ReadableStream<BufferSource>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += value
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      yield* blocks.map(parse)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Lines such as `event: next` and `data: {…}`. A line that begins with a colon keeps the connection open. */
function parse(block: string): ServerEvent {
  const lines = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line))
  const valuesOf = (name: string) =>
    lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []))
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') }
}
