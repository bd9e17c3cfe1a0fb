import { t } from '../../../language/t.ts'
import './plot.css'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import type { BucketUnit } from '../../../generated/graphql.ts'
import { useTimeZone } from '../../../lib/time-zone.ts'
import { labeledIndices } from './axis.ts'
import { spanOf, tickOf } from './chart-time.ts'
import { usePlotCursor } from './use-plot-cursor.ts'

const LABEL_PX = 84
/** A label that begins closer to the end is left out. */
const LAST_LABEL_PX = 64
const TOP_PX = 8

/** Positions in the plot, in pixels. */
export interface Scale {
  readonly height: number
  readonly step: number
  x(index: number): number
  y(value: number): number
}

export interface PlotMark {
  readonly at: string
  readonly label: string
}

interface PlotProps {
  /** The accessible name: what the plot shows, in a sentence. */
  readonly label: string
  readonly bars: readonly { readonly start: string; readonly end: string }[]
  readonly unit: BucketUnit
  readonly heightPx: number
  /** From 0. Their distances are equal, whatever lies between them. */
  readonly ticks: readonly number[]
  readonly marks?: readonly PlotMark[]
  readonly parts?: number
  format(value: number): string
  /** What a bar says, a line each. `part` is the part that is pointed at. */
  describe(index: number): readonly string[]
  nameOf?(part: number): string
  open?: (index: number, part: number | null) => void
  zoom?: (since: string, until: string) => void
  children(scale: Scale): ReactNode
}

/** Values over time, with axes. Arrow keys move from bar to bar, which a screen reader says as the values of a slider. */
export function Plot(props: PlotProps) {
  const { label, bars, unit, heightPx, ticks, marks = [], parts = 0, zoom, open, nameOf } = props
  useTimeZone()
  const { ref, width } = useElementSize()
  const hint = useId()
  const { cursor, handlers } = usePlotCursor({
    count: bars.length,
    parts,
    open,
    zoom: zoom && ((first, last) => zoom(bars[first]?.start ?? '', bars[last]?.end ?? '')),
  })
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  const spanMs = Date.parse(last.end) - Date.parse(first.start)
  const step = width / bars.length
  const scale: Scale = {
    height: heightPx,
    step,
    x: (index) => index * step,
    y: (value) => TOP_PX + (heightPx - TOP_PX) * (1 - heightOf(value, ticks)),
  }
  const xOf = (at: string) => (width * (Date.parse(at) - Date.parse(first.start))) / spanMs
  const inRange = marks.filter(({ at }) => at >= first.start && at < last.end)
  const labeled = labeledIndices(bars.length, width, LABEL_PX)
  const { index, part, selection } = cursor
  const bar = index === null ? undefined : bars[index]
  const marksOf = ({ start, end }: { start: string; end: string }) =>
    inRange.filter(({ at }) => at >= start && at < end).map((mark) => mark.label)
  const lines = index !== null && bar ? [...props.describe(index), ...marksOf(bar)] : []
  const valueText = bar
    ? [spanOf(bar, unit), part !== null && nameOf?.(part), ...lines].filter(Boolean).join(', ')
    : t('Use the arrow keys')
  return (
    <div className="ph-plot" style={{ gridTemplateRows: `${heightPx}px 26px` }}>
      <div className="ph-plot-scale" aria-hidden>
        {ticks.map((tick) => (
          <span key={tick} style={{ top: scale.y(tick) }}>
            {props.format(tick)}
          </span>
        ))}
      </div>
      <div
        ref={ref}
        className="ph-plot-area"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={index ?? bars.length - 1}
        aria-valuetext={valueText}
        data-opens={open ? true : undefined}
        {...handlers}
      >
        <svg width={width} height={heightPx} aria-hidden="true">
          {ticks.map((tick) => (
            <line
              key={tick}
              className="ph-plot-line"
              x2={width}
              y1={scale.y(tick)}
              y2={scale.y(tick)}
            />
          ))}
          {index !== null && (
            <rect className="ph-plot-pointed" x={scale.x(index)} width={step} height={heightPx} />
          )}
          {width > 0 && props.children(scale)}
          {inRange.map((mark) => (
            <g
              key={mark.at + mark.label}
              className="ph-plot-mark"
              transform={`translate(${xOf(mark.at)})`}
            >
              <line y1={TOP_PX} y2={heightPx} />
              <path d="M-4 0h8l-4 7z" />
            </g>
          ))}
          {selection && (
            <rect
              className="ph-plot-selection"
              x={scale.x(selection[0])}
              width={(selection[1] - selection[0] + 1) * step}
              height={heightPx}
            />
          )}
        </svg>
        {bar && index !== null && (
          <div
            className="ph-plot-tooltip"
            style={
              index < bars.length / 2
                ? { insetInlineStart: scale.x(index + 1) + 4 }
                : { insetInlineEnd: width - scale.x(index) + 4 }
            }
          >
            <strong>
              {selection
                ? spanOf(
                    { start: bars[selection[0]]?.start ?? '', end: bars[selection[1]]?.end ?? '' },
                    unit,
                  )
                : spanOf(bar, unit)}
            </strong>
            {selection ? (
              <div>{t('Zoom to this time')}</div>
            ) : (
              lines.map((line, at) => (
                <div key={line} data-pointed={at === part ? true : undefined}>
                  {line}
                </div>
              ))
            )}
          </div>
        )}
      </div>
      <div className="ph-plot-times" aria-hidden>
        {bars.map(
          ({ start }, at) =>
            labeled.has(at) &&
            (at === 0 || scale.x(at) + LAST_LABEL_PX <= width) && (
              <span key={start} style={{ insetInlineStart: scale.x(at) }}>
                {tickOf(start, unit, spanMs)}
              </span>
            ),
        )}
      </div>
      <span id={hint} hidden>
        {t(
          'Left and right move through time, up and down through the parts of a bar. Enter opens the attempts. Hold Shift to select a time range, then press Enter to zoom.',
        )}
      </span>
    </div>
  )
}

/** The height of a value as a share of the plot: straight between two ticks. */
function heightOf(value: number, ticks: readonly number[]): number {
  const last = ticks.length - 1
  const above = ticks.findIndex((tick) => tick >= value)
  const upper = above < 0 ? last : Math.max(1, above)
  const [from, to] = [ticks[upper - 1] ?? 0, ticks[upper] ?? 1]
  return (upper - 1 + (value - from) / (to - from)) / last
}
