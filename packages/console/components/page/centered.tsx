import { Center, Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'

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
