import { Button, Checkbox, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { Folded } from '../components/folded.tsx'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import {
  type AlertsAddressFragment,
  AlertsRemoveDocument,
  AlertsSetDocument,
} from '../generated/graphql.ts'
import { ALL_KINDS, KINDS, USUAL_KINDS } from './alert-kinds.ts'

interface AddressFormProps {
  /** Null for a new one. */
  readonly address: AlertsAddressFragment | null
  onClose(): void
}

interface AddressDialogProps extends AddressFormProps {
  readonly opened: boolean
}

export function AddressDialog({ opened, ...form }: AddressDialogProps) {
  const title = form.address?.email ?? 'Add an address'
  return (
    <Modal opened={opened} onClose={form.onClose} size="lg" title={title}>
      <AddressForm key={form.address?.id} {...form} />
    </Modal>
  )
}

const CHANGED = { additionalTypenames: ['AlertAddress'] }

/** Adds an address, or changes what it gets. Saving sends another link to one that is not confirmed. */
function AddressForm({ address, onClose }: AddressFormProps) {
  const { run, running } = useAction(AlertsSetDocument)
  const remove = useAction(AlertsRemoveDocument)
  const [removing, confirm] = useDisclosure()
  const isWaiting = address !== null && !address.confirmedAt
  const form = useForm({
    initialValues: {
      email: address?.email ?? '',
      kinds: [...(address?.kinds ?? USUAL_KINDS)],
      portalPageUrl: address?.portalPageUrl ?? '',
    },
    validate: { kinds: (kinds) => kinds.length === 0 && 'Choose at least one kind.' },
  })

  async function save({ email, kinds, portalPageUrl }: typeof form.values) {
    const input = {
      email: email.trim(),
      kinds,
      portalPageUrl: portalPageUrl.trim() || null,
    }
    const outcome = await run({ input }, CHANGED)
    if (!outcome.ok) {
      return form.setErrors(fieldErrorsOf(outcome, ['email', 'kinds', 'portalPageUrl']))
    }
    const { alertAddress } = outcome.value
    notifySuccess(
      alertAddress.confirmedAt
        ? `${alertAddress.email} gets these alerts.`
        : `${alertAddress.email} gets these alerts once the link that Posthorn sends there was used.`,
    )
    onClose()
  }

  return (
    <>
      <form onSubmit={form.onSubmit(save)} noValidate>
        <Stack gap="lg">
          {!address && (
            <TextInput
              label="E-mail address"
              type="email"
              placeholder="ada@example.com"
              maxLength={254}
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('email')}
            />
          )}
          {isWaiting && (
            <Text size="sm">
              {address.rejection != null &&
                `The mail server rejected the address for good: ${address.rejection} `}
              The address gets alerts once its owner has used the link. A link works for 7 days, and
              an address gets at most one an hour.
            </Text>
          )}
          <Checkbox.Group label="Alerts" {...form.getInputProps('kinds')}>
            <Stack gap={8} my="xs">
              {ALL_KINDS.map((kind) => (
                <Checkbox
                  key={kind}
                  value={kind}
                  label={
                    <>
                      {KINDS[kind][0]}{' '}
                      <Text span size="sm" c="dimmed">
                        {KINDS[kind][1]}
                      </Text>
                    </>
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Folded
            summary="links in mails lead to this console"
            isSet={form.values.portalPageUrl !== ''}
            isInvalid={form.errors['portalPageUrl'] !== undefined}
          >
            <TextInput
              label="Portal page"
              description="The page of your application that shows the portal, for people who cannot sign in here. The links in mails lead there."
              placeholder="https://app.example.com/webhooks"
              type="url"
              maxLength={2048}
              autoComplete="off"
              {...form.getInputProps('portalPageUrl')}
            />
          </Folded>
          <FormError>{form.errors['form']}</FormError>
          <FormButtons
            action={isWaiting ? 'Save and send link' : address ? 'Save' : 'Add address'}
            loading={running}
            dismiss={onClose}
          >
            {address && (
              <Button
                variant="subtle"
                color="red"
                c="var(--mantine-color-error)"
                me="auto"
                onClick={confirm.open}
              >
                Remove
              </Button>
            )}
          </FormButtons>
        </Stack>
      </form>
      {address && (
        <Confirm
          opened={removing}
          onClose={confirm.close}
          title={`Remove ${address.email}?`}
          action="Remove address"
          destructive
          onConfirm={() => remove.run({ id: address.id }, CHANGED)}
          success={`${address.email} is removed.`}
          onDone={onClose}
        >
          The address gets no more mails, also not those that wait for it.
        </Confirm>
      )}
    </>
  )
}
