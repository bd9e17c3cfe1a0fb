import { t } from '../../language/t.ts'
import './chart-frame.css'
import { ActionIcon, Center, Group, Menu, ScrollArea, Text, Title } from '@mantine/core'
import { IconChartBar, IconDots, IconTable } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

interface ChartFrameProps {
  /** Above a chart among others. Default: none. */
  readonly title?: string
  /** Names the table: what the chart shows, in a sentence. */
  readonly label: string
  readonly heightPx: number
  readonly columns: readonly string[]
  /** Table rows: the time, then a value for each column. */
  readonly rows: () => readonly (readonly string[])[]
  /** Shown instead of an empty chart. */
  readonly empty?: string | undefined
  readonly legend: ReactNode
  /** More items of the menu in the corner. */
  readonly menu?: ReactNode
  readonly children: ReactNode
}

/** A chart with its legend, and, by the menu in its corner, the same numbers as a table. */
export function ChartFrame(props: ChartFrameProps) {
  const { title, label, heightPx, columns, rows, empty, legend, menu, children } = props
  const [asTable, setAsTable] = useState(false)
  const shownLegend = !empty && legend && (
    <Group gap="4px 16px" miw={0}>
      {legend}
    </Group>
  )
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" mih={30} mb={4} gap="xs">
        {title ? (
          <Title order={3} size="h6">
            {title}
          </Title>
        ) : (
          shownLegend || <span />
        )}
        {(menu || !empty) && (
          <Menu position="bottom-end" withArrow>
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Options of the chart: {title}', { title: title ?? t('Attempts') })}
              >
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {menu}
              {!empty && (
                <Menu.Item
                  leftSection={asTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
                  onClick={() => setAsTable(!asTable)}
                >
                  {asTable ? t('Show as a chart') : t('Show as a table')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {empty ? (
        <Center h={heightPx}>
          <Text c="dimmed" size="sm">
            {empty}
          </Text>
        </Center>
      ) : asTable ? (
        <ScrollArea h={heightPx} type="auto" viewportProps={{ tabIndex: 0 }}>
          <table className="ph-chart-table" aria-label={label}>
            <thead>
              <tr>
                {[t('Time'), ...columns].map((column) => (
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
      ) : (
        <div style={{ minHeight: heightPx }}>{children}</div>
      )}
      {title && shownLegend}
    </div>
  )
}
