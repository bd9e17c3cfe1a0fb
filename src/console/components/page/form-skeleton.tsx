import { Skeleton, Stack } from '@mantine/core'

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
