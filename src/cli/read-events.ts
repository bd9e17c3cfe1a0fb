/**
 * Yields the data of each event of an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html), and
 * null for each comment: the first one says that the stream is open. `onBytes` is called whenever anything arrives.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array> | null,
  onBytes: () => void,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const chunk of body ?? []) {
    onBytes()
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith(':')) yield null
      else if (line.startsWith('data:')) data.push(line.slice('data:'.length))
      else if (line === '') {
        const text = data.join('\n').trim()
        data = []
        if (text !== '') yield JSON.parse(text)
      }
    }
  }
}
