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
    <div className="ph-unreachable" role="alert">
      <IconCloudOff size={16} aria-hidden />
      {t('Posthorn is unreachable. Figures as of {since}. Trying again …', {
        since: clock.format(since),
      })}
    </div>
  )
}
