import { Stack, Text } from '@mantine/core'
import type { Issue } from '../../api/use-action.ts'
import { DocsPage } from '../../components/docs-page.tsx'
import { JsonField } from '../../components/forms/json-field.tsx'
import { FilterTrial } from './filter-trial.tsx'
import { useFilterTrial } from './use-filter-trial.ts'

interface FilterEditorProps {
  /** The text of the filter. */
  readonly value: string
  readonly subscriptions: readonly string[]
  /** What the server said when the form was sent, by the place in the filter: `all.0.value`. */
  readonly issues: ReadonlyMap<string, string>
  onChange(text: string): void
}

/** A filter as JSON, with a trial on the newest events. */
export function FilterEditor({ value, subscriptions, issues, onChange }: FilterEditorProps) {
  const { trial, ...run } = useFilterTrial(value, subscriptions)
  const messages = new Map([...issues, ...(trial?.issues ?? []).map(placed)].map(inWords))
  return (
    <Stack gap="md">
      <JsonField
        label="Filter as JSON"
        description={
          <>
            Conditions with a path, an operator and a value, in lists <code>all</code> and{' '}
            <code>any</code>. <DocsPage page="guides/filters" title="The documentation" /> has each
            operator.
          </>
        }
        placeholder={'{ "path": "$.total", "op": "greater", "value": 100 }'}
        value={value}
        error={messages.size > 0 ? [...messages.values()].join(' ') : undefined}
        onChange={onChange}
      />
      {run.isPossible && <FilterTrial trial={trial} {...run} />}
      {subscriptions.length === 0 && (
        <Text size="sm" c="dimmed">
          Choose event types to try the filter on their events.
        </Text>
      )}
    </Stack>
  )
}

const placed = ({ path: [, ...place], message }: Issue) => [place.join('.'), message] as const

/** The server names the field first, as `filter.all[0].value must be …`. */
function inWords([place, message]: readonly [string, string]): readonly [string, string] {
  const rule = message.replace(/^filter(Text)?\S* /, '')
  return [place, place === '' ? message : `${place} ${rule}`]
}
