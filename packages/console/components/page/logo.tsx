import { Group, Text } from '@mantine/core'

export function Logo() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src="/console/posthorn.svg" width={28} height={28} alt="" />
      <Text fw={700} size="lg" lts="-0.01em">
        Posthorn
      </Text>
    </Group>
  )
}
