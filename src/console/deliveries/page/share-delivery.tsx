import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { useRead } from '../../api/use-read.ts'
import { CopyableLine } from '../../components/copy-button.tsx'
import { FormError } from '../../components/forms/form-parts.tsx'
import { notifyError, notifySuccess } from '../../components/notify.ts'
import { Time } from '../../components/time.tsx'
import {
  ApiKeysRevokeDocument,
  DeliveryLinksDocument,
  DeliveryShareDocument,
} from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'

interface ShareDeliveryProps {
  readonly id: string
  readonly opened: boolean
  close(): void
}

/** Creates a link to one delivery for people who have no account, and lists and revokes those that still open. */
export function ShareDelivery({ id, opened, close }: ShareDeliveryProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={
        <Text fw={650} span>
          {t('Share this delivery')}
        </Text>
      }
      size="lg"
      centered
    >
      <Links id={id} />
    </Modal>
  )
}

function Links({ id }: { id: string }) {
  const share = useAction(DeliveryShareDocument)
  const { data, reload } = useRead(DeliveryLinksDocument, { id })
  const [created, setCreated] = useState<{ id: string; url: string } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const links = data?.delivery?.links ?? []

  async function create() {
    const outcome = await share.run({ id })
    setError(outcome.ok ? null : outcome.message)
    if (!outcome.ok) return
    setCreated(outcome.value.link)
    reload()
  }

  return (
    <Stack>
      <Text size="sm">
        {t(
          'A link opens this delivery with its attempts, responses and payload, and nothing else. Anyone who has the link can read them for a day, without signing in.',
        )}
      </Text>
      {created && (
        <Stack gap={4}>
          <CopyableLine text={created.url} label={t('Copy the link')} />
          <Text size="xs" c="dimmed">
            {t('The link is shown only now.')}
          </Text>
        </Stack>
      )}
      <FormError>{error}</FormError>
      <Group justify="end">
        <Button
          variant={created ? 'default' : 'filled'}
          loading={share.running}
          onClick={create}
          data-autofocus
        >
          {created ? t('Create another link') : t('Create link')}
        </Button>
      </Group>
      {links.length > 0 && (
        <Stack gap="xs" component="section" aria-label={t('Links that open this delivery')}>
          {links.map((link) => (
            <Link
              key={link.id}
              link={link}
              done={() => {
                if (created?.id === link.id) setCreated(null)
                reload()
              }}
            />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

interface LinkProps {
  readonly link: {
    readonly id: string
    readonly createdAt: string
    readonly expiresAt: string
    readonly lastUsedAt?: string | null
  }
  done(): void
}

function Link({ link: { id, createdAt, expiresAt, lastUsedAt }, done }: LinkProps) {
  const { run, running } = useAction(ApiKeysRevokeDocument)

  async function revoke() {
    const outcome = await run({ id })
    if (outcome.ok) notifySuccess(t('Link revoked.'))
    else notifyError(outcome.message)
    done()
  }

  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">
        {rich('Created {created}, expires {expires}', {
          created: <Time at={createdAt} as="relative" />,
          expires: <Time at={expiresAt} />,
        })}
        {', '}
        {lastUsedAt
          ? rich('last used {time}', { time: <Time at={lastUsedAt} as="relative" /> })
          : t('never used')}
      </Text>
      <Button size="xs" variant="default" flex="none" loading={running} onClick={revoke}>
        {t('Revoke')}
      </Button>
    </Group>
  )
}
