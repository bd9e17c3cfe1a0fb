import { t } from '../language/t.ts'

const BAR_PX = 4
const GAP_PX = 1
const HEIGHT_PX = 16

/** The failed attempts of the last hours as small bars. Empty if there were none. */
export function Trend({ counts }: { counts: readonly number[] }) {
  const largest = Math.max(...counts)
  if (largest <= 0) return null
  const width = counts.length * (BAR_PX + GAP_PX) - GAP_PX
  return (
    <svg
      role="img"
      aria-label={t('Failed attempts in each of the last {hours} hours: {counts}', {
        hours: counts.length,
        counts: counts.join(', '),
      })}
      width={width}
      height={HEIGHT_PX}
      style={{ flex: 'none', display: 'block' }}
    >
      {counts.map((count, hour) => {
        const height = count === 0 ? 1 : Math.max(2, (count / largest) * HEIGHT_PX)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: an hour has no other name
            key={hour}
            x={hour * (BAR_PX + GAP_PX)}
            y={HEIGHT_PX - height}
            width={BAR_PX}
            height={height}
            fill={count === 0 ? 'var(--posthorn-line)' : 'var(--posthorn-mark-red)'}
          />
        )
      })}
    </svg>
  )
}
