import type { Preset } from '../components/filters/presets.tsx'

/** Frequent questions about attempts, as query parameters. */
export const PRESETS: readonly Preset[] = [
  { label: 'Failed in the last hour', params: { response: 'FAILED', within: '1h' } },
  { label: 'No response today', params: { response: 'NO_RESPONSE', within: 'today' } },
  { label: 'Slow today', params: { duration: '5000', within: 'today' } },
]
