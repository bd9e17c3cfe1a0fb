import { Button, Center, Group, ScrollArea, Text } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

/** The height of every chart, empty or not, so that nothing below it moves. */
export const CHART_HEIGHT_PX = 240

interface ChartFrameProps {
  /** The accessible name: what the chart shows, in a sentence. */
  readonly summary: string
  readonly series: readonly { readonly label: string; readonly color: string }[]
  /** Table rows: the time, then a value for each series. */
  readonly rows: () => readonly (readonly string[])[]
  /** Shown instead of an empty chart. */
  readonly empty?: string | undefined
  readonly children: ReactNode
}

/** A chart with its legend, and the same numbers as a table. */
export function ChartFrame({ summary, series, rows, empty, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <div>
      <div style={{ height: CHART_HEIGHT_PX }}>
        {empty ? (
          <Center h="100%">
            <Text c="dimmed" size="sm">
              {empty}
            </Text>
          </Center>
        ) : asTable ? (
          <ScrollArea h="100%" type="auto" viewportProps={{ tabIndex: 0 }}>
            <table className="ph-chart-table" aria-label={summary}>
              <thead>
                <tr>
                  {['Time', ...series.map(({ label }) => label)].map((label) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows().map(([span, ...values]) => (
                  <tr key={span}>
                    <th scope="row">{span}</th>
                    {values.map((value, index) => (
                      <td key={series[index]?.label}>{value}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
        ) : (
          <div role="img" aria-label={summary} style={{ height: '100%' }}>
            {children}
          </div>
        )}
      </div>
      <Group justify="space-between" mt="xs" mih={30}>
        <Group gap="md">
          {series.map(({ label, color }) => (
            <Group key={label} gap={6} fz="xs" c="dimmed">
              <svg width="10" height="10" aria-hidden="true">
                <rect width="10" height="10" rx="2" style={{ fill: color }} />
              </svg>
              {label}
            </Group>
          ))}
        </Group>
        {!empty && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={asTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Show chart' : 'Show table'}
          </Button>
        )}
      </Group>
    </div>
  )
}
