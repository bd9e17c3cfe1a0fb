import type { Preset } from '../components/filters/presets.tsx'
import { t } from '../strings/t.ts'

/** Frequent questions about attempts, as query parameters. */
export const PRESETS: readonly Preset[] = [
  {
    label: t('attempts:presets.failedLastHour'),
    params: { response: 'FAILED', within: '1h' },
  },
  {
    label: t('attempts:presets.noResponse'),
    params: { response: 'NO_RESPONSE', within: 'today' },
  },
  { label: t('attempts:presets.slow'), params: { duration: '5000', within: 'today' } },
]
