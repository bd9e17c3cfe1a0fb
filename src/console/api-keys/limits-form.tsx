import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { EditConflicts } from '../components/forms/edit-conflicts.tsx'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormError } from '../components/forms/form-parts.tsx'
import { useEditConflict } from '../components/forms/use-edit-conflict.ts'
import { notifySuccess } from '../components/notify.ts'
import { ApiKeysUpdateDocument } from '../generated/graphql.ts'
import type { ApiKey } from './key-state.tsx'
import {
  DEFAULT_LIMITS,
  LIMIT_FIELDS,
  LIMIT_LABELS,
  LimitFields,
  type Limits,
} from './limit-fields.tsx'

interface LimitsFormProps {
  readonly apiKey: ApiKey
  onClose(): void
}

/** The form keeps the limits of the time when it was opened. */
export function LimitsForm({ apiKey, onClose }: LimitsFormProps) {
  const { run, running } = useAction(ApiKeysUpdateDocument)
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = apiKey
  const [initial] = useState<Limits>({ requestsPerSecond, eventsPerSecond, deliveriesPerSecond })
  const [limits, setLimits] = useState(initial)
  const [errors, setErrors] = useState<FieldErrors<keyof Limits>>({})
  const { ifRevision, conflict, report, decide } = useEditConflict(apiKey.revision)

  async function save(event: FormEvent) {
    event.preventDefault()
    // Only changed limits are sent, so that saving does not turn a default into a fixed value.
    const changed = LIMIT_FIELDS.filter((field) => limits[field] !== initial[field])
    const input = Object.fromEntries(changed.map((field) => [field, limits[field]]))
    const outcome = await run({ id: apiKey.id, input: { ...input, ifRevision } })
    if (!outcome.ok) {
      report(outcome.conflict ?? null)
      return setErrors(outcome.conflict ? {} : fieldErrorsOf(outcome, LIMIT_FIELDS))
    }
    notifySuccess('Limits saved.')
    onClose()
  }

  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <LimitFields limits={limits} errors={errors} onChange={setLimits} />
        {conflict && (
          <EditConflicts
            conflict={conflict}
            labels={LIMIT_LABELS}
            mine={{ ...limits }}
            empty={DEFAULT_LIMITS}
            keepMine={decide}
            takeTheirs={(name, value) => {
              setLimits({ ...limits, [name]: value })
              decide(name)
            }}
          />
        )}
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
