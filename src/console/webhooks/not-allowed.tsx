import { Alert } from '@mantine/core'
import { t } from '../strings/t.ts'

/** For a viewer who followed a link to a page that their scopes do not allow. */
export function NotAllowed({ scope }: { scope: string }) {
  return (
    <Alert color="gray" variant="light" title={t('webhooks:notAllowed.title')}>
      {t('webhooks:notAllowed.body', { scope })}
    </Alert>
  )
}
