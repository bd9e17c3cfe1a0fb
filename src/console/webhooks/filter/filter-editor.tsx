import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { JsonField } from '../../components/forms/json-field.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { FilterFieldsDocument } from '../../generated/graphql.ts'
import { type FilterIssues, filterIssues, otherIssues, withoutFields } from './condition-issues.ts'
import { ConditionList } from './condition-list.tsx'
import { type ConditionGroup, newGroup, readConditions } from './conditions.ts'
import { parseFilter } from './filter-json.ts'
import { FilterTrial } from './filter-trial.tsx'
import { placesOf, printConditions } from './print-conditions.ts'
import { suggestFields } from './suggest-fields.ts'
import { useFilterTrial } from './use-filter-trial.ts'

interface FilterEditorProps {
  /** The text of the filter. While the builder lacks a part of a condition, the text is no JSON. */
  readonly value: string
  /** What the webhook subscribes to, and the event types that this includes today. */
  readonly subscriptions: readonly string[]
  readonly eventTypes: readonly string[]
  /** What the server said when the form was sent. */
  readonly issues: FilterIssues
  /** Whether what is missing is an error already. */
  readonly showsMissing: boolean
  onChange(text: string): void
}

/** A filter as conditions in rows or as text, with a trial on the newest events. */
export function FilterEditor({
  value,
  subscriptions,
  eventTypes,
  onChange,
  ...rest
}: FilterEditorProps) {
  const [typed, setTyped] = useState<ConditionGroup>(() => readConditions(value) ?? newGroup())
  // The rows as typed, unless the text has changed since.
  const group = printConditions(typed) === value ? typed : readConditions(value)
  const [isText, setText] = useState(() => value !== '' && group === null)
  const fields = useSuggestedFields(eventTypes)
  const { trial, ...run } = useFilterTrial(value, subscriptions)
  const issues = useMemo(
    () => new Map([...withoutFields(rest.issues), ...filterIssues(trial?.issues ?? [])]),
    [rest.issues, trial],
  )
  const shown = group ?? typed
  const places = isText || group === null ? [] : placesOf(shown)

  function setGroup(changed: ConditionGroup) {
    setTyped(changed)
    onChange(printConditions(changed))
  }

  function choose(form: string) {
    setText(form === 'text')
    if (form === 'text') onChange(formatJson(value) ?? value)
    else setGroup(group ?? newGroup())
  }

  return (
    <Stack gap="md">
      <SegmentedControl
        size="xs"
        style={{ alignSelf: 'start' }}
        aria-label="Form of the filter"
        data={[
          {
            value: 'builder',
            label: 'Builder',
            disabled: isText && group === null && value !== '',
          },
          { value: 'text', label: 'Text' },
        ]}
        value={isText ? 'text' : 'builder'}
        onChange={choose}
      />
      {isText ? (
        <>
          {group === null && value !== '' && <Text size="sm">{whyText(value)}</Text>}
          <JsonField
            label="Filter as JSON"
            placeholder={'{ "path": "$.total", "op": "greater", "value": 100 }'}
            value={value}
            error={undefined}
            onChange={onChange}
          />
        </>
      ) : (
        <ConditionList
          group={shown}
          fields={fields}
          issues={issues}
          showsMissing={rest.showsMissing}
          onChange={setGroup}
        />
      )}
      <Problems messages={otherIssues(issues, places)} />
      {run.isPossible && <FilterTrial trial={trial} {...run} />}
      {subscriptions.length === 0 && (
        <Text size="sm" c="dimmed">
          Choose event types to try the filter on their events.
        </Text>
      )}
    </Stack>
  )
}

function whyText(value: string): string {
  return parseFilter(value)
    ? 'The builder shows conditions, and groups of them one level deep. This filter has more, so it stays text.'
    : 'The builder can show the text once it is a filter.'
}

function Problems({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null
  return (
    <Group role="alert" gap={4}>
      {messages.map((message) => (
        <Text key={message} size="sm" c="var(--mantine-color-error)">
          {message}
        </Text>
      ))}
    </Group>
  )
}

/** The server answers for so many objects in one request. */
const MAX_TYPES = 20

/** The fields that the schemas and examples of the event types show. */
function useSuggestedFields(eventTypes: readonly string[]) {
  const ids = eventTypes.slice(0, MAX_TYPES).map((name) => `type_${name}`)
  const { data } = useRead(FilterFieldsDocument, { ids }, { pause: ids.length === 0 })
  return useMemo(() => {
    const types = data?.nodes?.flatMap((node) => (node?.__typename === 'EventType' ? node : []))
    return suggestFields(types ?? [])
  }, [data])
}
