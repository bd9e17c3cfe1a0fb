import { Group, Loader, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { CombinedError } from 'urql'
import { CopyButton } from '../../components/copy-button.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { Notice } from '../../components/page/notice.tsx'
import { QueryError } from '../../components/query-error.tsx'
import type { BodyTrialQuery } from '../../generated/graphql.ts'
import { inSentence, t } from '../../language/t.ts'
import { formatBytes, formatDateTime } from '../../lib/format.ts'

type Trial = NonNullable<BodyTrialQuery['testBody']>
type Tried = Trial['bodies'][number]

interface BodyTrialProps {
  readonly trial: Trial | undefined
  readonly hasProblem: boolean
  readonly isEmpty: boolean
  /** Whether the viewer may read events. */
  readonly isAllowed: boolean
  readonly isRunning: boolean
  readonly error: CombinedError | undefined
  reload(): void
}

/** The body that the webhook would have sent for one of the newest events. */
export function BodyTrial({ trial, isAllowed, isRunning, error, reload, ...text }: BodyTrialProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  // The last body stays while the text changes, so that the page does not jump.
  const [last, setLast] = useState(trial)
  if (trial && trial !== last) setLast(trial)
  if (!isAllowed) {
    return (
      <Text size="sm" c="dimmed">
        You may not read events, so there is no trial here. Posthorn checks the body when you save.
      </Text>
    )
  }
  if (error && !trial) return <QueryError error={error} reload={reload} />
  const shown = trial ?? (text.hasProblem || text.isEmpty ? undefined : last)
  const bodies = shown?.bodies ?? []
  if (text.hasProblem && bodies.length === 0) return null
  const body = bodies.find((one, index) => keyOf(one, index) === chosen) ?? bodies[0]
  return (
    <Stack gap="sm" component="section" aria-label="Trial of the body" className="ph-body-trial">
      <Group justify="space-between" gap="sm" mih={30}>
        <Group gap="xs" role="status">
          <Text size="sm" fw={600}>
            {body ? titleOf(shown) : 'Trial of the body'}
          </Text>
          {isRunning && <Loader size="xs" aria-hidden />}
        </Group>
        {body?.body && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {formatBytes(new TextEncoder().encode(body.body).length)}
            </Text>
            <CopyButton value={body.body ?? ''} label={`Copy the ${inSentence(t('Body'))}`} />
          </Group>
        )}
      </Group>
      {text.isEmpty && (
        <Text size="sm" c="dimmed">
          The body of your newest events appears here.
        </Text>
      )}
      {bodies.length > 1 && body && (
        <Select
          size="xs"
          aria-label="Event of the trial"
          allowDeselect={false}
          data={bodies.map((one, index) => ({ value: keyOf(one, index), label: labelOf(one) }))}
          value={keyOf(body, bodies.indexOf(body))}
          onChange={setChosen}
        />
      )}
      {body?.body === null && (
        <Notice color="red" title={t('The body is too large')}>
          Of this event, the body has more than 256 KiB. Attempts would fail and send nothing.
        </Notice>
      )}
      {body?.body && (
        <CodeBlock
          code={formatJson(body.body) ?? body.body}
          label={`Body of ${body.eventType}`}
          maxHeight={460}
        />
      )}
      {shown && shown.warnings.length > 0 && (
        <Notice color="yellow" title="Worth knowing">
          {shown.warnings.join(' ').replaceAll('`', '')}
        </Notice>
      )}
    </Stack>
  )
}

const titleOf = (trial: Trial | undefined) =>
  trial?.bodies.some(({ event }) => event === null)
    ? 'The body of an example: there is no event of these types yet'
    : 'The body of a real event'

/** An event that was deleted in the meantime has no id. */
const keyOf = ({ event, eventType }: Tried, index: number) => event?.id ?? `${index} ${eventType}`

const labelOf = ({ event, eventType }: Tried) =>
  event ? `${eventType}, ${formatDateTime(event.occurredAt)}` : `${eventType}, its example`
