import { Select } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { Notice } from '../../components/page/notice.tsx'
import { BodyTrialDocument, type BodyTrialQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDateTime } from '../../lib/format.ts'
import { Trial, useTriedText } from '../form/trial.tsx'

type Tried = NonNullable<BodyTrialQuery['testBody']>

/** The bodies that a selection or a template makes of the newest events. */
export function useBodyTrial(
  body: 'selection' | 'template',
  text: string,
  subscriptions: readonly string[],
) {
  const tried = useTriedText(text, subscriptions)
  const request = useRead(
    BodyTrialDocument,
    { eventSubscriptions: [...subscriptions], [body]: tried },
    { pause: tried === null },
  )
  return { request, tried: tried === null ? undefined : (request.data?.testBody ?? undefined) }
}

interface BodyTrialProps {
  readonly tried: Tried | undefined
  readonly request: ReturnType<typeof useBodyTrial>['request']
}

/** The body that the webhook would have sent for one of the newest events. */
export function BodyTrial({ tried, request }: BodyTrialProps) {
  const [chosen, setChosen] = useState('0')
  const bodies = tried?.bodies ?? []
  const shown = bodies[Number(chosen)] ?? bodies[0]
  return (
    <Trial
      label="Trial of the body"
      result={shown && (shown.event ? 'The body of a real event' : 'The body of an example')}
      request={request}
      warnings={tried?.warnings}
    >
      {bodies.length > 1 && (
        <Select
          size="xs"
          aria-label="Event of the trial"
          allowDeselect={false}
          data={bodies.map((one, index) => ({ value: String(index), label: labelOf(one) }))}
          value={shown === bodies[Number(chosen)] ? chosen : '0'}
          onChange={(index) => index && setChosen(index)}
        />
      )}
      {shown?.body === null && (
        <Notice color="red" title={t('The body is too large')}>
          Of this event, the body has more than 256 KiB. Attempts would fail and send nothing.
        </Notice>
      )}
      {shown?.body != null && (
        <CodeBlock
          code={formatJson(shown.body) ?? shown.body}
          label={`Body of ${shown.eventType}`}
          maxHeight={460}
        />
      )}
    </Trial>
  )
}

const labelOf = ({ event, eventType }: Tried['bodies'][number]) =>
  event ? `${eventType}, ${formatDateTime(event.occurredAt)}` : `${eventType}, its example`
