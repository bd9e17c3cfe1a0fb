import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { notifySuccess } from '../components/notify.ts'
import { formatCount } from '../format.ts'
import { ApiKeysUpdateDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import type { ApiKey } from './key-state.tsx'
import { LimitFields, type Limits } from './limit-fields.tsx'

const FIELDS = ['requestsPerSecond', 'eventsPerSecond'] as const

/** Shows the rate limits of a key, and lets key managers change them. */
export function EditLimits({ apiKey }: { apiKey: ApiKey }) {
  const { can } = useSession()
  const { run, running } = useAction(ApiKeysUpdateDocument)
  const [limits, setLimits] = useState<Limits | null>(null)
  const [errors, setErrors] = useState<FieldErrors<keyof Limits>>({})
  const { requestsPerSecond, eventsPerSecond } = apiKey

  async function save(event: FormEvent) {
    event.preventDefault()
    if (!limits) return
    // Only changed limits are sent, so that saving does not turn a default into a fixed value.
    const changed = FIELDS.filter((field) => limits[field] !== apiKey[field])
    const input = Object.fromEntries(changed.map((field) => [field, limits[field]]))
    const outcome = await run({ id: apiKey.id, input })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    notifySuccess('Limits saved.')
    setLimits(null)
    setErrors({})
  }

  return (
    <Stack gap="xs" component="section">
      <Text fw={600} size="sm" component="h3" m={0}>
        {t('apiKeys:editLimits.title')}
      </Text>
      {limits ? (
        <form onSubmit={save}>
          <Stack gap="sm">
            <LimitFields limits={limits} errors={errors} onChange={setLimits} />
            {errors.form !== undefined && (
              <Alert color="red" variant="light" role="alert">
                {errors.form}
              </Alert>
            )}
            <Group gap="xs">
              <Button type="submit" size="xs" loading={running}>
                {t('apiKeys:editLimits.save')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setLimits(null)}>
                {t('apiKeys:editLimits.cancel')}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            {formatCount(requestsPerSecond)} requests and {formatCount(eventsPerSecond)} events per
            second, averaged over ten seconds.
          </Text>
          {can('keys:manage') && !apiKey.revokedAt && (
            <Button
              size="xs"
              variant="default"
              onClick={() => setLimits({ requestsPerSecond, eventsPerSecond })}
            >
              {t('apiKeys:editLimits.edit')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
