import { t } from '../language/t.ts'
import { formatBytes } from '../lib/format.ts'

/** Why a payload is not there any more, with its size if nobody has it. */
export function notKeptText(bytes: number | null | undefined): string {
  const reason = t('Not kept: the payload was delivered, and the settings keep none afterwards.')
  return bytes == null ? reason : `${reason} ${t('It had {size}.', { size: formatBytes(bytes) })}`
}
