import { Text } from '@mantine/core'
import { t } from '../../language/t.ts'
import { tailSentence } from './tail-sentence.ts'

interface TailStatusProps {
  readonly rate: { readonly received: number; readonly shown: number }
  readonly paused: boolean
  /** The number of attempts received since rendering stopped. */
  readonly waiting: number
  readonly frozen: boolean
}

export function TailStatus({ rate, paused, waiting, frozen }: TailStatusProps) {
  return (
    <Text size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }} mih={22}>
      {frozen
        ? paused
          ? t('Paused: {waiting, number} new.', { waiting })
          : t('Paused while you point at a row: {waiting, number} new.', { waiting })
        : tailSentence(rate)}
    </Text>
  )
}
