import { Center, Group, Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** The layout of pages without a session: one card in the middle. */
export function Centered({ children }: { children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" bg="var(--posthorn-sunken)" component="main">
      <Paper withBorder shadow="xs" radius="lg" p={{ base: 'lg', xs: 'xl' }} w="100%" maw={440}>
        <Stack gap="lg">
          <Logo />
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}

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
