import type { Preset } from '../../components/filters/presets.tsx'
import { t } from '../../language/t.ts'

/** Frequent questions about deliveries, as query parameters. */
export const DELIVERY_PRESETS: readonly Preset[] = [
  { label: 'Failed in the last hour', params: { status: 'FAILED', within: '1h' } },
  { label: t('Retrying'), params: { state: 'RETRYING' } },
  { label: t('Waiting'), params: { state: 'WAITING' } },
  { label: 'Exhausted today', params: { state: 'EXHAUSTED', within: 'today' } },
  { label: 'Slow today', params: { duration: '5000', within: 'today' } },
]
