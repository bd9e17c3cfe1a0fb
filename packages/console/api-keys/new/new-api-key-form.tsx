import { Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { type FieldErrors, fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import { ApiKeysCreateDocument, type ApiKeysCreateMutation } from '../../generated/graphql.ts'
import { LIMIT_FIELDS, LimitFields, type Limits } from '../limit-fields.tsx'
import { type Expiry, ExpiryField, expiresAt } from './expiry-field.tsx'
import { ScopeChecklist } from './scope-checklist.tsx'

const FIELDS = ['name', 'scopes', 'expiresAt', ...LIMIT_FIELDS] as const

interface NewApiKeyFormProps {
  onCreated(created: CreatedApiKey): void
  onCancel(): void
}

export function NewApiKeyForm({ onCreated, onCancel }: NewApiKeyFormProps) {
  const { run, running } = useAction(ApiKeysCreateDocument)
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>([])
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'never', at: null })
  const [limits, setLimits] = useState<Limits>({
    requestsPerSecond: null,
    eventsPerSecond: null,
    deliveriesPerSecond: null,
  })
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (scopes.length === 0) return setErrors({ scopes: 'Choose at least one scope.' })
    const end = expiresAt(expiry, Date.now())
    if (expiry.choice === 'date' && (end === null || Date.parse(end) <= Date.now())) {
      return setErrors({ expiresAt: 'Choose a time in the future.' })
    }
    const outcome = await run({
      input: {
        name: name.trim() || null,
        scopes: [...scopes],
        expiresAt: end,
        ...limits,
      },
    })
    if (outcome.ok) onCreated(outcome.value.createdApiKey)
    else setErrors(fieldErrorsOf(outcome, FIELDS))
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          label="Name"
          description="The program that uses the key."
          placeholder="Ticket shop"
          maxLength={200}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errors.name}
        />
        <ScopeChecklist
          chosen={scopes}
          error={errors.scopes}
          onChange={(chosen) => {
            setScopes(chosen)
            setErrors({ ...errors, scopes: undefined })
          }}
        />
        <ExpiryField
          expiry={expiry}
          error={errors.expiresAt}
          onChange={(chosen) => {
            setExpiry(chosen)
            setErrors({ ...errors, expiresAt: undefined })
          }}
        />
        <LimitFields limits={limits} errors={errors} onChange={setLimits} />
        <FormError>{errors.form}</FormError>
        <FormButtons action="Create key" loading={running} dismiss={onCancel} />
      </Stack>
    </form>
  )
}

/** A new key with its token. */
export type CreatedApiKey = Extract<
  NonNullable<ApiKeysCreateMutation['createApiKey']>,
  { __typename: 'CreateApiKeySuccess' }
>['createdApiKey']
