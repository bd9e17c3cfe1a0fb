/** Stands for the value of a custom header: attempts do not record these values. */
const MASK = '•••'

interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Null when past its retention, or when the viewer may not read events. */
  readonly body?: string | null
}

/** An attempt's request as a shell command, with notes to read before running it. */
export function asCurl({ method, url, headers, body }: SentRequest): {
  readonly command: string
  readonly notes: readonly string[]
} {
  const masked = headers.filter(({ value }) => value === MASK).map(({ name }) => name)
  const lines = [
    `curl --request ${method} --globoff --path-as-is ${quote(url)}`,
    ...headers.map(({ name, value }) => {
      const shown = value === MASK ? placeholder(name) : value
      // curl drops a header that ends in a colon; an empty header needs a semicolon.
      return `--header ${quote(shown === '' ? `${name};` : `${name}: ${shown}`)}`
    }),
    ...(body == null ? [] : [`--data-raw ${quote(body)}`]),
  ]
  const notes = [
    'The command sends the signature of this attempt. Receivers that check the timestamp reject that signature after 5 minutes.',
  ]
  if (masked.length > 0) {
    notes.push(
      `Attempts do not record the values of custom headers, which may be credentials. Replace ${masked.map(placeholder).join(', ')} with your values.`,
    )
  }
  if (body == null) {
    notes.push(
      'The command has no body, because the event is past its retention period or you may not read events.',
    )
  }
  return { command: lines.join(' \\\n  '), notes }
}

const placeholder = (name: string) => `YOUR_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** Quotes a text as one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
