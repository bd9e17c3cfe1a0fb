import { SegmentedControl } from '@mantine/core'
import { useFold } from './fold.ts'

/** Switches between one row for each delivery and one for each event. Nothing for viewers who see no events. */
export function FoldSwitch() {
  const { isOffered, isFolded, fold } = useFold()
  if (!isOffered) return null
  return (
    <SegmentedControl
      size="xs"
      aria-label="Rows"
      data={[
        { value: 'delivery', label: 'By delivery' },
        { value: 'event', label: 'By event' },
      ]}
      value={isFolded ? 'event' : 'delivery'}
      onChange={(value) => fold(value === 'event')}
    />
  )
}
