import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Folded } from '../components/folded.tsx'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../components/forms/form-parts.tsx'
import { Notice } from '../components/page/notice.tsx'
import { ApiKeysCreateDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { LIMIT_FIELDS, LimitFields, type Limits, limitsOf } from './limit-fields.tsx'
import { PRESETS, SCOPES } from './scopes.ts'

/** Creates a key, then shows its token once. Only a button closes that view. */
export function NewApiKey({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [token, setToken] = useState<string | null>(null)

  function close() {
    setToken(null)
    onClose()
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={token === null ? 'Create API key' : 'API key created'}
      closeOnClickOutside={false}
      closeOnEscape={token === null}
      withCloseButton={token === null}
    >
      {token === null ? (
        <NewApiKeyForm onCreated={setToken} onCancel={close} />
      ) : (
        <NewToken token={token} onClose={close} />
      )}
    </Modal>
  )
}

function NewToken({ token, onClose }: { token: string; onClose(): void }) {
  return (
    <Stack gap="lg">
      <Notice color="yellow" title="Copy the token now: it will not be shown again">
        Posthorn stores only a hash of the token. If you lose it, create another key and revoke this
        one.
      </Notice>
      <TextInput
        label="Token of the new key"
        readOnly
        data-autofocus
        value={token}
        onFocus={(event) => event.currentTarget.select()}
        className="ph-mono"
      />
      <Group justify="space-between">
        <CopyButton value={token} label="Copy token" labelled />
        <Button onClick={onClose}>I have stored the token</Button>
      </Group>
    </Stack>
  )
}

interface NewApiKeyFormProps {
  onCreated(token: string): void
  onCancel(): void
}

const INITIAL: Limits & { name: string; scopes: string[]; expiresAt: string | null } = {
  name: '',
  scopes: [],
  expiresAt: null,
  requestsPerSecond: '',
  eventsPerSecond: '',
  deliveriesPerSecond: '',
}

/** A viewer can only grant scopes that their own key has. */
function NewApiKeyForm({ onCreated, onCancel }: NewApiKeyFormProps) {
  const { can } = useSession()
  const { run, running } = useAction(ApiKeysCreateDocument)
  const form = useForm({
    initialValues: INITIAL,
    validate: { scopes: (scopes) => scopes.length === 0 && 'Choose at least one scope.' },
  })

  async function save(values: typeof INITIAL) {
    const { name, scopes, expiresAt } = values
    const input = { name: name.trim() || null, scopes, expiresAt, ...limitsOf(values) }
    const outcome = await run({ input })
    if (outcome.ok) return onCreated(outcome.value.createdApiKey.token)
    form.setErrors(fieldErrorsOf(outcome, ['name', 'scopes', 'expiresAt', ...LIMIT_FIELDS]))
  }

  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Name"
          description="The program that uses the key."
          placeholder="Ticket shop"
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label="Scopes"
          description="Choose only what the program needs."
          {...form.getInputProps('scopes')}
        >
          <Group gap="xs" my="sm" role="group" aria-label="Scope presets">
            {PRESETS.map(({ label, scopes }) => (
              <Button
                key={label}
                size="compact-sm"
                variant="default"
                disabled={!scopes.some(can)}
                onClick={() => form.setFieldValue('scopes', scopes.filter(can))}
              >
                {label}
              </Button>
            ))}
          </Group>
          <Stack gap={8} mb={4}>
            {SCOPES.map(([scope, sentence]) => (
              <Checkbox
                key={scope}
                value={scope}
                disabled={!can(scope)}
                label={
                  <>
                    <span className="ph-mono">{scope}</span>{' '}
                    <Text span size="sm" c="dimmed">
                      {sentence}
                      {!can(scope) && ' Your own key does not have this scope.'}
                    </Text>
                  </>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <DateTimeInput
          label="Expires"
          description="In your time zone. Empty: the key is valid until you revoke it."
          value={form.values.expiresAt}
          onChange={(at) => form.setFieldValue('expiresAt', at)}
          error={form.errors['expiresAt']}
        />
        <Folded
          summary="500 requests, 50,000 events and 10,000 deliveries per second"
          isInvalid={LIMIT_FIELDS.some((field) => form.errors[field])}
        >
          <LimitFields propsOf={form.getInputProps} />
        </Folded>
        <FormError>{form.errors['form']}</FormError>
        <FormButtons action="Create key" loading={running} dismiss={onCancel} />
      </Stack>
    </form>
  )
}
