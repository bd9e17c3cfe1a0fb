import { Alert } from '@mantine/core'
import { IconCloudOff } from '@tabler/icons-react'
import { useUnreachableSince } from '../api/connection.ts'
import { dateLocale } from '../language/language.ts'
import { t } from '../language/t.ts'

const clock = new Intl.DateTimeFormat(dateLocale, { hour: '2-digit', minute: '2-digit' })

/** Says that the server is unreachable, and how old the figures on the page are. */
export function UnreachableBar() {
  const since = useUnreachableSince()
  if (since === null) return null
  return (
    <Alert
      role="alert"
      color="orange"
      icon={<IconCloudOff aria-hidden />}
      pos="sticky"
      top="calc(var(--app-shell-header-offset, 0rem) + 8px)"
      mb="md"
      bg="var(--posthorn-sunken)"
      style={{ zIndex: 2 }}
    >
      {t('Posthorn is unreachable. Figures as of {since}. Trying again …', {
        since: clock.format(since),
      })}
    </Alert>
  )
}
