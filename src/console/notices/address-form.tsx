import { Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import {
  type NoticeKind,
  NoticesAddDocument,
  type NoticesAddressFragment,
  NoticesUpdateDocument,
} from '../generated/graphql.ts'
import { KindChecklist } from './kind-checklist.tsx'
import { USUAL_KINDS } from './notice-kinds.ts'
import { RemoveAddress } from './remove-address.tsx'

interface AddressFormProps {
  /** Null for a new one. */
  readonly address: NoticesAddressFragment | null
  readonly ofAllOrganizations: boolean
  onClose(): void
}

const FIELDS = ['email', 'kinds', 'portalPageUrl'] as const

/** Adds an address, or changes what it gets. */
export function AddressForm({ address, ofAllOrganizations, onClose }: AddressFormProps) {
  const add = useAction(NoticesAddDocument)
  const update = useAction(NoticesUpdateDocument)
  const [email, setEmail] = useState('')
  const [portalPage, setPortalPage] = useState(address?.portalPageUrl ?? '')
  const [kinds, setKinds] = useState<readonly NoticeKind[]>(address?.kinds ?? USUAL_KINDS)
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})

  async function save(event: FormEvent) {
    event.preventDefault()
    if (kinds.length === 0) return setErrors({ kinds: 'Choose at least one kind.' })
    const portalPageUrl = portalPage.trim() || null
    const outcome = address
      ? await update.run({ id: address.id, input: { kinds: [...kinds], portalPageUrl } })
      : await add.run({
          input: { email: email.trim(), kinds: [...kinds], portalPageUrl, ofAllOrganizations },
        })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    const { noticeAddress } = outcome.value
    notifySuccess(
      noticeAddress.confirmedAt
        ? `${noticeAddress.email} gets these notices.`
        : `${noticeAddress.email} gets these notices once the link that Posthorn sends there was used.`,
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
        {!ofAllOrganizations && (
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
        )}
        <FormError>{errors.form}</FormError>
        <FormButtons
          action={address ? 'Save' : 'Add address'}
          loading={add.running || update.running}
          dismiss={onClose}
        >
          {address && <RemoveAddress address={address} onRemoved={onClose} />}
        </FormButtons>
      </Stack>
    </form>
  )
}
