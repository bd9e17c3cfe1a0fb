import type { StatisticsBucketFragment } from '../../../generated/graphql.ts'
import { t } from '../../../language/t.ts'

export type AttemptBucket = StatisticsBucketFragment

/** A part of a bar: the attempts with one class of response. */
export interface StatusClassSeries {
  readonly field: 'succeeded' | 'failed3xx' | 'failed4xx' | 'failed5xx' | 'failedWithoutResponse'
  /** The value of the filter of attempts. */
  readonly filter: string
  readonly label: string
  readonly color: string
  /** Tells the parts apart without color. */
  readonly pattern: 'solid' | 'dots' | 'stripes' | 'grid'
}

/** From the bottom of a bar to its top. */
export const STATUS_CLASSES: readonly StatusClassSeries[] = [
  {
    field: 'succeeded',
    filter: 'SUCCESS_2XX',
    label: '2xx',
    color: 'var(--posthorn-chart-2xx)',
    pattern: 'solid',
  },
  {
    field: 'failed3xx',
    filter: 'REDIRECTION_3XX',
    label: '3xx',
    color: 'var(--posthorn-chart-3xx)',
    pattern: 'dots',
  },
  {
    field: 'failed4xx',
    filter: 'CLIENT_ERROR_4XX',
    label: '4xx',
    color: 'var(--posthorn-chart-4xx)',
    pattern: 'stripes',
  },
  {
    field: 'failed5xx',
    filter: 'SERVER_ERROR_5XX',
    label: '5xx',
    color: 'var(--posthorn-chart-5xx)',
    pattern: 'solid',
  },
  {
    field: 'failedWithoutResponse',
    filter: 'NO_RESPONSE',
    label: t('No response'),
    color: 'var(--posthorn-chart-none)',
    pattern: 'grid',
  },
]
