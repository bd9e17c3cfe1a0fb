import { Anchor, ScrollArea, Stack, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { DocsPage } from '../../components/docs-page.tsx'
import { JsonField } from '../../components/forms/json-field.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { TryFilterDocument, type TryFilterQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { counted, formatCount } from '../../lib/format.ts'
import { Trial, useTriedText } from '../form/trial.tsx'

type Tested = NonNullable<TryFilterQuery['testFilter']>

interface FilterEditorProps {
  /** The text of the filter. */
  readonly value: string
  readonly error?: ReactNode
  readonly subscriptions: readonly string[]
  onChange(text: string): void
}

/** A filter as JSON, with a trial on the newest events. */
export function FilterEditor({ value, error, subscriptions, onChange }: FilterEditorProps) {
  const filterText = useTriedText(value, subscriptions)
  const pause = filterText === null || formatJson(filterText) === null
  const request = useRead(
    TryFilterDocument,
    { eventSubscriptions: [...subscriptions], filterText: filterText ?? '' },
    { pause },
  )
  const tested = pause ? undefined : (request.data?.testFilter ?? undefined)
  const problems = tested?.issues.map(({ message }) => message).join(' ')
  return (
    <Stack>
      <JsonField
        label="Filter as JSON"
        description={
          <>
            Conditions with a path, an operator and a value, in lists <code>all</code> and{' '}
            <code>any</code>. <DocsPage page="guides/filters" title="The documentation" /> has each
            operator. Default: every event of the types above.
          </>
        }
        placeholder={'{ "path": "$.total", "op": "greater", "value": 100 }'}
        value={value}
        error={problems?.replaceAll('filterText', 'filter') || (error ? String(error) : undefined)}
        onChange={onChange}
      />
      {value.trim() !== '' && (
        <Trial
          label="Trial of the filter"
          result={tested?.issues.length === 0 ? sentenceOf(tested) : undefined}
          request={request}
          warnings={tested?.warnings}
        >
          {tested && tested.events.length > 0 && <Events events={tested.events} />}
        </Trial>
      )}
    </Stack>
  )
}

function sentenceOf({ matched, tested }: Tested): string {
  if (tested === 0) return 'There is no event of these types yet to try the filter on.'
  return `${formatCount(matched)} of the last ${counted(tested, 'event matches', 'events match')}`
}

/** Each event, and what refused it. A link opens a new tab: the form has what the reader typed. */
function Events({ events }: Pick<Tested, 'events'>) {
  return (
    <ScrollArea.Autosize mah={320}>
      <Table
        layout="fixed"
        data={{
          head: ['Event', 'Result'],
          body: events.map(({ event, matches, refusedBy }) => [
            event ? (
              <Anchor
                key={event.id}
                component={Link}
                to={`/events/${event.id}`}
                target="_blank"
                inherit
              >
                {event.type.name} <span className="ph-mono">{event.id}</span>
              </Anchor>
            ) : (
              t('Deleted')
            ),
            matches ? 'Match' : refusedBy,
          ]),
        }}
      />
    </ScrollArea.Autosize>
  )
}
