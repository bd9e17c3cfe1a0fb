import { useMemo } from 'react'
import { JsonView } from '../components/json/json-view.tsx'

/** The body of every delivery of an event. Its field `data` is the payload. */
export function EventBody({ body }: { body: string }) {
  const value = useMemo(() => JSON.parse(body) as unknown, [body])
  return (
    <JsonView
      label="Body"
      value={value}
      raw={body}
      note="This is what is signed and sent, to the letter. The payload is in the field data."
    />
  )
}
