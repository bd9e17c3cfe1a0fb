import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { type FieldErrors, fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormError } from '../../components/forms/form-parts.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { ApiKeysUpdateDocument } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import type { ApiKey } from '../key-state.tsx'
import { LIMIT_FIELDS, LimitFields, type Limits } from '../limit-fields.tsx'

/** Shows the rate limits of a key, and lets key managers change them. */
export function EditLimits({ apiKey }: { apiKey: ApiKey }) {
  const { can } = useSession()
  const [editing, edit] = useDisclosure()
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = apiKey
  return (
    <Stack gap="xs" component="section">
      <Text fw={600} size="sm" component="h3" m={0}>
        Rate limits
      </Text>
      {editing ? (
        <LimitsForm apiKey={apiKey} onClose={edit.close} />
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            {`${formatCount(requestsPerSecond)} requests, ${formatCount(eventsPerSecond)} events and ${formatCount(deliveriesPerSecond)} deliveries per second, averaged over ten seconds.`}
          </Text>
          {can('keys:manage') && !apiKey.revokedAt && (
            <Button size="xs" variant="default" onClick={edit.open}>
              Edit limits
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

/** The form keeps the limits of the time when it was opened. */
function LimitsForm({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const { run, running } = useAction(ApiKeysUpdateDocument)
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = apiKey
  const [initial] = useState<Limits>({ requestsPerSecond, eventsPerSecond, deliveriesPerSecond })
  const [limits, setLimits] = useState(initial)
  const [errors, setErrors] = useState<FieldErrors<keyof Limits>>({})

  async function save(event: FormEvent) {
    event.preventDefault()
    // Only changed limits are sent, so that saving overwrites no limit that somebody else has changed.
    const changed = LIMIT_FIELDS.filter((field) => limits[field] !== initial[field])
    const input = Object.fromEntries(changed.map((field) => [field, limits[field]]))
    const outcome = await run({ id: apiKey.id, input })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, LIMIT_FIELDS))
    notifySuccess('Limits saved.')
    onClose()
  }

  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <LimitFields limits={limits} errors={errors} onChange={setLimits} />
        <FormError>{errors.form}</FormError>
        <Group gap="xs">
          <Button type="submit" size="xs" loading={running}>
            Save limits
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
