import { Button, Text } from '@mantine/core'
import type { CombinedError } from 'urql'
import { describeError } from '../api/request-error.ts'
import { t } from '../language/t.ts'
import { Notice } from './page/notice.tsx'

/** Says why there is nothing to show. That the server is unreachable, the bar on top of the page says. */
export function QueryError({ error, reload }: { error: CombinedError; reload(): void }) {
  const { message, isUnreachable } = describeError(error)
  if (isUnreachable) return <NotLoaded />
  return (
    <div role="alert">
      <Notice
        color="red"
        title={t('Loading failed')}
        action={
          <Button size="xs" variant="default" onClick={reload}>
            {t('Try again')}
          </Button>
        }
      >
        {message}
      </Notice>
    </div>
  )
}

export function NotLoaded() {
  return (
    <Text c="dimmed" size="sm" py="md">
      {t('Not loaded yet.')}
    </Text>
  )
}
