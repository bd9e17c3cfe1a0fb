import { Alert, Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { Time } from '../components/time.tsx'
import { ApiKeysRevokeDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { type ApiKey, nameOf } from './key-state.tsx'

/** Revokes a key, after listing what stops working. */
export function RevokeApiKey({ apiKey }: { apiKey: ApiKey }) {
  const { can, viewer } = useSession()
  const { run } = useAction(ApiKeysRevokeDocument)
  const [confirming, setConfirming] = useState(false)
  if (!can('keys:manage')) return null
  const name = nameOf(apiKey)

  async function confirm() {
    const outcome = await run({ id: apiKey.id })
    if (!outcome.ok) return outcome.message
    notifySuccess(t('apiKeys:revokeApiKey.done', { name }))
    return null
  }

  return (
    <>
      <Button size="xs" color="red.8" variant="filled" onClick={() => setConfirming(true)}>
        {t('apiKeys:revokeApiKey.open')}
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={t('apiKeys:revokeApiKey.title', { name })}
        action={t('apiKeys:revokeApiKey.confirm')}
        destructive
        onConfirm={confirm}
      >
        <Stack gap="sm">
          {viewer.apiKey.id === apiKey.id && (
            <Alert color="red" variant="light" title={t('apiKeys:revokeApiKey.ownKeyTitle')}>
              {t('apiKeys:revokeApiKey.ownKeyText')}
            </Alert>
          )}
          <span>
            {apiKey.scopes.includes('admin')
              ? t('apiKeys:revokeApiKey.effectOnAdmin')
              : t('apiKeys:revokeApiKey.effect', { scopes: apiKey.scopes.join(', ') })}
          </span>
          <span>
            {apiKey.lastUsedAt ? (
              <Trans
                ns="apiKeys"
                i18nKey="revokeApiKey.lastUsed"
                components={{ time: <Time at={apiKey.lastUsedAt} as="relative" /> }}
              />
            ) : (
              t('apiKeys:revokeApiKey.neverUsed')
            )}{' '}
            {t('apiKeys:revokeApiKey.warning')}
          </span>
        </Stack>
      </Confirm>
    </>
  )
}
