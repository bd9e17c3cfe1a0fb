import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { type Problems, problemsByField } from '../components/forms/problems-by-field.ts'
import { notifyDone } from '../components/notify.ts'
import { formatCount } from '../format.ts'
import { ApiKeysUpdateDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import type { ApiKey } from './key-state.tsx'
import { LimitFields, type Limits } from './limit-fields.tsx'

const FIELDS = ['requestsPerSecond', 'eventsPerSecond'] as const

/** How much a key may ask for: shown, and changed by those who may. */
export function EditLimits({ apiKey }: { apiKey: ApiKey }) {
  const { can } = useSession()
  const { run, running } = useAction(ApiKeysUpdateDocument)
  const [limits, setLimits] = useState<Limits | null>(null)
  const [problems, setProblems] = useState<Problems<keyof Limits>>({})
  const { requestsPerSecond, eventsPerSecond } = apiKey

  async function save(event: FormEvent) {
    event.preventDefault()
    if (!limits) return
    // What is left out stays: a default is not turned into a number of its own.
    const changed = FIELDS.filter((field) => limits[field] !== apiKey[field])
    const input = Object.fromEntries(changed.map((field) => [field, limits[field]]))
    const outcome = await run({ id: apiKey.id, input })
    if (!outcome.ok) return setProblems(problemsByField(outcome, FIELDS))
    notifyDone('The limits are changed. Every process follows at once.')
    setLimits(null)
    setProblems({})
  }

  return (
    <Stack gap="xs" component="section">
      <Text fw={600} size="sm" component="h3" m={0}>
        How much it may ask for
      </Text>
      {limits ? (
        <form onSubmit={save}>
          <Stack gap="sm">
            <LimitFields limits={limits} problems={problems} onChange={setLimits} />
            {problems.form !== undefined && (
              <Alert color="red" variant="light" role="alert">
                {problems.form}
              </Alert>
            )}
            <Group gap="xs">
              <Button type="submit" size="xs" loading={running}>
                Save the limits
              </Button>
              <Button size="xs" variant="default" onClick={() => setLimits(null)}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            {formatCount(requestsPerSecond)} requests and {formatCount(eventsPerSecond)} events per
            second, on average over ten seconds.
          </Text>
          {can('keys:manage') && !apiKey.revokedAt && (
            <Button
              size="xs"
              variant="default"
              onClick={() => setLimits({ requestsPerSecond, eventsPerSecond })}
            >
              Edit the limits
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
