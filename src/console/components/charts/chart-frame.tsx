import './chart-frame.css'
import { Button, Center, Group, ScrollArea, Text } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

interface ChartFrameProps {
  /** Names the table: what the chart shows, in a sentence. */
  readonly label: string
  readonly heightPx: number
  readonly columns: readonly string[]
  /** Table rows: the time, then a value for each column. */
  readonly rows: () => readonly (readonly string[])[]
  /** Shown instead of an empty chart. */
  readonly empty?: string | undefined
  readonly legend: ReactNode
  readonly children: ReactNode
}

/** A chart with its legend, and the same numbers as a table. */
export function ChartFrame(props: ChartFrameProps) {
  const { label, heightPx, columns, rows, empty, legend, children } = props
  const [asTable, setAsTable] = useState(false)
  return (
    <div>
      {empty || asTable ? (
        <div style={{ height: heightPx }}>
          {empty ? (
            <Center h="100%">
              <Text c="dimmed" size="sm">
                {empty}
              </Text>
            </Center>
          ) : (
            <ScrollArea h="100%" type="auto" viewportProps={{ tabIndex: 0 }}>
              <table className="ph-chart-table" aria-label={label}>
                <thead>
                  <tr>
                    {['Time', ...columns].map((column) => (
                      <th key={column} scope="col">
                        {column}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows().map(([span, ...values]) => (
                    <tr key={span}>
                      <th scope="row">{span}</th>
                      {values.map((value, index) => (
                        <td key={columns[index]}>{value}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollArea>
          )}
        </div>
      ) : (
        <div style={{ minHeight: heightPx }}>{children}</div>
      )}
      <Group justify="space-between" mt="xs" mih={30} gap="xs">
        <Group gap="md">{!empty && legend}</Group>
        {!empty && (
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={asTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? 'Show as a chart' : 'Show as a table'}
          </Button>
        )}
      </Group>
    </div>
  )
}
