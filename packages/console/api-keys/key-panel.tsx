import { Anchor, Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { useRead } from '../api/use-read.ts'
import { Confirm } from '../components/confirm.tsx'
import { Id } from '../components/copy-button.tsx'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormError } from '../components/forms/form-parts.tsx'
import { NodePanel } from '../components/node-panel.tsx'
import { notifySuccess } from '../components/notify.ts'
import { Facts } from '../components/page/facts.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time, useNow } from '../components/time.tsx'
import {
  type ApiKeysFieldsFragment,
  ApiKeysOneDocument,
  ApiKeysRevokeDocument,
  ApiKeysUpdateDocument,
} from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { LIMIT_FIELDS, LimitFields, type Limits, limitsOf } from './limit-fields.tsx'

interface KeyPanelProps {
  /** The open key, if any. */
  readonly id: string | null
  onClose(): void
}

/** One key: its scopes, limits and use, and a button to revoke it. */
export function KeyPanel({ id, onClose }: KeyPanelProps) {
  const { data, error, reload } = useRead(
    ApiKeysOneDocument,
    { id: id ?? '' },
    { pause: id === null },
  )
  const node = data?.node
  const apiKey = node?.__typename === 'ApiKey' && node.id === id ? node : null
  return (
    <NodePanel
      opened={id !== null}
      onClose={onClose}
      size="lg"
      title={apiKey ? nameOf(apiKey) : 'API key'}
      error={error}
      reload={reload}
      missing={node === null && 'This API key does not exist in this organization.'}
    >
      {apiKey && <KeyDetails key={apiKey.id} apiKey={apiKey} />}
    </NodePanel>
  )
}

interface KeyProps {
  readonly apiKey: ApiKeysFieldsFragment
}

export const nameOf = ({ name }: ApiKeysFieldsFragment) => name ?? 'Unnamed'

export function KeyState({ apiKey }: KeyProps) {
  const { revokedAt, expiresAt } = apiKey
  const nowMs = useNow()
  if (revokedAt) return <StateBadge label="Revoked" color="gray" />
  if (expiresAt && Date.parse(expiresAt) <= nowMs) {
    return <StateBadge label="Expired" color="orange" />
  }
  return <StateBadge label="Valid" color="green" />
}

function KeyDetails({ apiKey }: KeyProps) {
  const { id, tokenHint, createdAt, lastUsedAt, expiresAt, revokedAt, scopes } = apiKey
  return (
    <Stack gap="xl">
      <Group>
        <KeyState apiKey={apiKey} />
        <Id id={id} />
      </Group>
      <Facts
        facts={[
          { label: 'Token prefix', value: <span className="ph-mono">{tokenHint}…</span> },
          { label: 'Created', value: <Time at={createdAt} /> },
          {
            label: 'Last used',
            value: lastUsedAt ? <Time at={lastUsedAt} as="relative" /> : 'Never',
          },
          { label: 'Expires', value: expiresAt ? <Time at={expiresAt} /> : 'Never' },
          revokedAt != null && { label: 'Revoked', value: <Time at={revokedAt} /> },
          { label: 'Scopes', value: <span className="ph-mono">{scopes.join(', ')}</span> },
        ]}
      />
      {!revokedAt && <LimitsForm apiKey={apiKey} />}
      <Group justify="space-between">
        <Anchor component={Link} to={`/audit-log?actor=${id}`} size="sm">
          Audit log of this key
        </Anchor>
        {!revokedAt && <RevokeKey apiKey={apiKey} />}
      </Group>
    </Stack>
  )
}

/** The form keeps the limits of the time when it was opened. */
function LimitsForm({ apiKey }: KeyProps) {
  const { run, running } = useAction(ApiKeysUpdateDocument)
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = apiKey
  const initialValues: Limits = { requestsPerSecond, eventsPerSecond, deliveriesPerSecond }
  const form = useForm({ initialValues })

  async function save(limits: Limits) {
    // Only changed limits are sent, so that saving overwrites no limit that somebody else has changed.
    const changed = LIMIT_FIELDS.filter((field) => form.isDirty(field))
    const outcome = await run({ id: apiKey.id, input: limitsOf(limits, changed) })
    if (!outcome.ok) return form.setErrors(fieldErrorsOf(outcome, LIMIT_FIELDS))
    form.resetDirty()
    notifySuccess('Limits saved.')
  }

  return (
    <Section title="Rate limits" description="Averaged over ten seconds.">
      <form onSubmit={form.onSubmit(save)} noValidate>
        <Stack gap="sm" align="start">
          <LimitFields propsOf={form.getInputProps} />
          <FormError>{form.errors['form']}</FormError>
          <Button type="submit" size="xs" loading={running} disabled={!form.isDirty()}>
            Save limits
          </Button>
        </Stack>
      </form>
    </Section>
  )
}

/** Revokes a key, after it says what stops working. */
function RevokeKey({ apiKey }: KeyProps) {
  const { viewer } = useSession()
  const { run } = useAction(ApiKeysRevokeDocument)
  const [confirming, confirm] = useDisclosure()
  const { id, scopes } = apiKey
  const name = nameOf(apiKey)
  return (
    <>
      <Button size="xs" color="red.8" onClick={confirm.open}>
        Revoke
      </Button>
      <Confirm
        opened={confirming}
        onClose={confirm.close}
        title={`Revoke “${name}”?`}
        action="Revoke key"
        destructive
        onConfirm={() => run({ id })}
        success={`“${name}” is revoked.`}
      >
        <Stack gap="sm">
          {viewer.apiKey.id === id && (
            <Notice color="red" title="You are signed in with this key">
              Revoking the key signs you out. You need another key to sign in again.
            </Notice>
          )}
          <span>
            Requests with this key fail, and its sessions end. The key allows{' '}
            {scopes.includes('admin') ? 'everything, in every organization' : scopes.join(', ')}.
          </span>
          <span>This cannot be undone. Published events and their deliveries stay.</span>
        </Stack>
      </Confirm>
    </>
  )
}
