import type { Preset } from '../components/filters/presets.tsx'
import { t } from '../strings/t.ts'

/** Frequent questions about deliveries, as query parameters. */
export const PRESETS: readonly Preset[] = [
  {
    label: t('deliveries:presets.failedLastHour'),
    params: { status: 'FAILED', attempted: '1h' },
  },
  { label: t('deliveries:presets.retrying'), params: { state: 'RETRYING' } },
  { label: t('deliveries:presets.waiting'), params: { state: 'WAITING' } },
  {
    label: t('deliveries:presets.exhaustedToday'),
    params: { state: 'EXHAUSTED', attempted: 'today' },
  },
  { label: t('deliveries:presets.slow'), params: { duration: '5000', attempted: 'today' } },
]
