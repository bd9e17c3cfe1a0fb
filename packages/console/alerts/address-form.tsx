import { Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import {
  type AlertKind,
  type AlertsAddressFragment,
  AlertsSetDocument,
} from '../generated/graphql.ts'
import { USUAL_KINDS } from './alert-kinds.ts'
import { KindChecklist } from './kind-checklist.tsx'
import { RemoveAddress } from './remove-address.tsx'

interface AddressFormProps {
  /** Null for a new one. */
  readonly address: AlertsAddressFragment | null
  onClose(): void
}

const FIELDS = ['email', 'kinds', 'portalPageUrl'] as const

/** Adds an address, or changes what it gets. */
export function AddressForm({ address, onClose }: AddressFormProps) {
  const { run, running } = useAction(AlertsSetDocument)
  const [email, setEmail] = useState(address?.email ?? '')
  const [portalPage, setPortalPage] = useState(address?.portalPageUrl ?? '')
  const [kinds, setKinds] = useState<readonly AlertKind[]>(address?.kinds ?? USUAL_KINDS)
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})

  async function save(event: FormEvent) {
    event.preventDefault()
    if (kinds.length === 0) return setErrors({ kinds: 'Choose at least one kind.' })
    const portalPageUrl = portalPage.trim() || null
    const outcome = await run(
      { input: { email: email.trim(), kinds: [...kinds], portalPageUrl } },
      { additionalTypenames: ['AlertAddress'] },
    )
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    const { alertAddress } = outcome.value
    notifySuccess(
      alertAddress.confirmedAt
        ? `${alertAddress.email} gets these alerts.`
        : `${alertAddress.email} gets these alerts once the link that Posthorn sends there was used.`,
    )
    onClose()
  }

  return (
    <form onSubmit={save} noValidate>
      <Stack gap="lg">
        {!address && (
          <TextInput
            label="E-mail address"
            type="email"
            placeholder="ada@example.com"
            maxLength={254}
            autoComplete="off"
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errors.email}
          />
        )}
        <KindChecklist
          chosen={kinds}
          error={errors.kinds}
          onChange={(chosen) => {
            setKinds(chosen)
            setErrors({ ...errors, kinds: undefined })
          }}
        />
        <TextInput
          label="Portal page (optional)"
          description="The page of your application that shows the portal, for people who cannot sign in here. The links in mails lead there. Empty: they lead to this console."
          placeholder="https://app.example.com/webhooks"
          type="url"
          maxLength={2048}
          autoComplete="off"
          value={portalPage}
          onChange={(event) => setPortalPage(event.currentTarget.value)}
          error={errors.portalPageUrl}
        />
        <FormError>{errors.form}</FormError>
        <FormButtons action={address ? 'Save' : 'Add address'} loading={running} dismiss={onClose}>
          {address && <RemoveAddress address={address} onRemoved={onClose} />}
        </FormButtons>
      </Stack>
    </form>
  )
}
