import { useMemo } from 'react'
import { JsonView } from '../components/json/json-view.tsx'

interface JsonTextProps {
  /** The name of the value, such as "Payload". */
  readonly label: string
  /** The exact text. */
  readonly text: string
  /** A remark below the value. */
  readonly note: string
}

/** JSON that Posthorn keeps or sends to the letter. */
export function JsonText({ label, text, note }: JsonTextProps) {
  const value = useMemo(() => JSON.parse(text) as unknown, [text])
  return <JsonView label={label} value={value} raw={text} note={note} />
}
