import { Box, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A label and its value. False and null are left out. */
type Fact = { readonly label: string; readonly value: ReactNode } | false | null

/** A description list, in as many columns as fit: an id has some 250 pixels. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <SimpleGrid
      component="dl"
      m={0}
      type="container"
      spacing="lg"
      verticalSpacing="sm"
      cols={{ base: 1, '540px': 2, '810px': 3, '1080px': 4 }}
    >
      {facts.map(
        (fact) =>
          fact && (
            <Box key={fact.label} miw={0}>
              <Text component="dt" size="xs" c="dimmed" fw={600}>
                {fact.label}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {fact.value}
              </Text>
            </Box>
          ),
      )}
    </SimpleGrid>
  )
}
