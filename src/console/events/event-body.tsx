import { useMemo } from 'react'
import { JsonView } from '../components/json/json-view.tsx'
import { t } from '../strings/t.ts'

/** The body of every delivery of an event. Its field `data` is the payload. */
export function EventBody({ body }: { body: string }) {
  const value = useMemo(() => JSON.parse(body) as unknown, [body])
  return (
    <JsonView
      label={t('events:page.body')}
      value={value}
      raw={body}
      note={t('events:page.bodyNote')}
    />
  )
}
