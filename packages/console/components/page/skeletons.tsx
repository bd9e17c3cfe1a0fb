import { Skeleton, Stack } from '@mantine/core'

/** Stands for a page about one object while it loads. */
export function DetailSkeleton() {
  return (
    <Stack gap="xl" aria-busy="true">
      <Skeleton h={40} />
      <Skeleton h={14} w={130} />
      <Skeleton h={160} />
    </Stack>
  )
}
