import { useMemo } from 'react'
import { JsonView } from '../components/json/json-view.tsx'
import { t } from '../language/t.ts'

/** The body of every delivery of an event. Its field `data` is the payload. */
export function EventBody({ body }: { body: string }) {
  const value = useMemo(() => JSON.parse(body) as unknown, [body])
  return (
    <JsonView
      label={t('Body')}
      value={value}
      raw={body}
      note={t('The exact body that is signed and sent. The field data is the payload.')}
    />
  )
}
