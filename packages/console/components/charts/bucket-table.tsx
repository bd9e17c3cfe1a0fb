import { Anchor, Table } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import type { ChartProps } from './attempt-bars.tsx'
import { spanOf } from './chart-range.ts'

/** For keyboards and screen readers: the links and the numbers of the bars. */
export function BucketTable({ buckets, range, classes, pathOf }: ChartProps) {
  return (
    <Table.ScrollContainer minWidth={0} maxHeight={270} mr={36}>
      <Table aria-label={t('Attempts')} fz="xs" stickyHeader tabularNums>
        <Table.Thead>
          <Table.Tr>
            {[t('Time'), ...classes.map(({ label }) => label)].map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets
            .filter(({ attempts }) => attempts > 0)
            .map((bucket) => (
              <Table.Tr key={bucket.start}>
                <Table.Th scope="row">
                  <Anchor component={Link} to={pathOf(bucket.start)} inherit>
                    {spanOf(bucket.start, range)}
                  </Anchor>
                </Table.Th>
                {classes.map(({ field }) => (
                  <Table.Td key={field}>{formatCount(Number(bucket[field]))}</Table.Td>
                ))}
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
