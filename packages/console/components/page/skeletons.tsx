import { Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'

const FACTS = [64, 88, 72, 56]
const ROWS = ['62%', '48%', '70%', '54%']

/** Stands for a page about one object while it loads: its facts, and a section with rows. */
export function DetailSkeleton() {
  return (
    <Stack gap="xl" aria-busy="true">
      <FactsSkeleton />
      <Stack gap="xs">
        <Skeleton h={14} w={130} />
        <div className="ph-rows">
          {ROWS.map((width) => (
            <Group key={width} h={40} justify="space-between" wrap="nowrap">
              <Skeleton h={10} w={width} />
              <Skeleton h={10} w={64} />
            </Group>
          ))}
        </div>
      </Stack>
    </Stack>
  )
}

/** As many columns as `Facts` has. */
function FactsSkeleton() {
  return (
    <SimpleGrid
      type="container"
      spacing="lg"
      verticalSpacing="sm"
      cols={{ base: 1, '540px': 2, '810px': 3, '1080px': 4 }}
    >
      {FACTS.map((width) => (
        <Stack key={width} gap={8} h={38} justify="center">
          <Skeleton h={8} w={width} />
          <Skeleton h={12} w={width * 2} />
        </Stack>
      ))}
    </SimpleGrid>
  )
}

const FIELD_HEIGHTS = [36, 60, 160, 160]

/** Stands for a form while its values load. */
export function FormSkeleton() {
  return (
    <Stack gap="lg" maw={760} aria-busy="true">
      {FIELD_HEIGHTS.map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields stay the same
        <Stack key={index} gap={8}>
          <Skeleton h={10} w={96} />
          <Skeleton h={height} />
        </Stack>
      ))}
    </Stack>
  )
}
