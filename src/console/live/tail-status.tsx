import { Text } from '@mantine/core'
import { formatCount } from '../format.ts'
import { tailSentence } from './tail-sentence.ts'

interface TailStatusProps {
  readonly rate: { readonly came: number; readonly shown: number }
  readonly paused: boolean
  /** How many came since the painting rests. */
  readonly waiting: number
  readonly resting: boolean
}

/** How much of what happens is shown. */
export function TailStatus({ rate, paused, waiting, resting }: TailStatusProps) {
  return (
    <Text size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }} mih={22}>
      {resting
        ? `${paused ? 'Paused' : 'Resting while you are at a row'}: ${formatCount(waiting)} new since.`
        : tailSentence(rate)}
    </Text>
  )
}
