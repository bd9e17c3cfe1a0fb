import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Group, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import type { StatisticsBucketFragment } from '../../generated/graphql.ts'
import { formatCompact, formatCount } from '../../lib/format.ts'
import { type ChartRange, spanOf } from './chart-range.ts'

export interface ChartProps {
  readonly buckets: readonly StatisticsBucketFragment[]
  readonly range: ChartRange
  /** The parts of a bar, from its bottom to its top. */
  readonly classes: readonly {
    readonly field: keyof StatisticsBucketFragment
    readonly label: string
    /** The filter of the list of deliveries. */
    readonly status: string
    readonly color: string
    /** The angle of its stripes, which tell the classes apart without color. Null: none. */
    readonly stripes: number | null
  }[]
  /** The list of deliveries with such an attempt in a bucket. */
  pathOf(start: string, status?: string): string
}

type Class = ChartProps['classes'][number]

const stripesOf = (field: string) => `ph-stripes-${field}`
const fillOf = ({ field, color, stripes }: Class) =>
  stripes === null ? color : `url(#${stripesOf(field)})`

/** For the pointer: the table has the same links and numbers. */
export function AttemptBars({ buckets, range, classes, pathOf }: ChartProps) {
  const navigate = useNavigate()
  return (
    <div aria-hidden>
      <Group gap="4px 16px" mih={34} pr={36} align="start">
        {classes.map((each) => (
          <Group key={each.field} gap={6}>
            <svg width={10} height={10} aria-hidden="true">
              <rect width={10} height={10} rx={2} fill={fillOf(each)} />
            </svg>
            <Text size="xs" c="dimmed">
              {each.label}
            </Text>
          </Group>
        ))}
      </Group>
      <BarChart
        h={236}
        type="stacked"
        data={[...buckets]}
        dataKey="start"
        series={classes.map(({ field, label, color }) => ({ name: field, label, color }))}
        accessibilityLayer={false}
        valueFormatter={formatCount}
        strokeDasharray="0"
        tickLine="none"
        gridColor="var(--posthorn-line)"
        cursorFill="var(--posthorn-sunken)"
        barChartProps={{ barCategoryGap: 1, margin: { top: 4, right: 0, left: 0 } }}
        xAxisProps={{ tickFormatter: range.tick, minTickGap: 48 }}
        yAxisProps={{ tickFormatter: formatCompact, width: 48, allowDecimals: false }}
        // Away from the bars, the tooltip is hidden, and has no label.
        tooltipProps={{ labelFormatter: (start) => start && spanOf(String(start), range) }}
        barProps={({ name }) => {
          const part = classes.find(({ field }) => field === name) as Class
          return {
            className: `ph-bar-${name}`,
            fill: fillOf(part),
            cursor: 'pointer',
            // Even one failure among thousands is seen.
            minPointSize: (_top, index) => (buckets[index]?.[part.field] ? 2 : 0),
            onClick: ({ payload }) => navigate(pathOf(payload.start, part.status)),
          }
        }}
      >
        <defs>
          {classes.map(({ field, color, stripes }) => (
            <pattern
              key={field}
              id={stripesOf(field)}
              width={5}
              height={5}
              patternUnits="userSpaceOnUse"
              patternTransform={`rotate(${stripes ?? 0})`}
            >
              <rect width={5} height={5} fill={color} />
              <rect width={1} height={5} fill="var(--mantine-color-body)" opacity={0.5} />
            </pattern>
          ))}
        </defs>
      </BarChart>
    </div>
  )
}
