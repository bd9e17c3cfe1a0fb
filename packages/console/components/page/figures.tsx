import { Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface Figure {
  readonly label: string
  /** Undefined while loading. */
  readonly value: ReactNode | undefined
  /** A line below, such as the value before. */
  readonly note?: ReactNode
}

/** Figures side by side in one strip. Each keeps its size while it loads. */
export function Figures({ figures }: { figures: readonly (Figure | false | null)[] }) {
  return (
    <dl className="ph-figures">
      {figures.map(
        (figure) =>
          figure && (
            <div key={figure.label}>
              <Text component="dt" size="xs" c="dimmed" fw={500}>
                {figure.label}
              </Text>
              <Text
                component="dd"
                m={0}
                fz={20}
                fw={600}
                lh="30px"
                style={{ fontVariantNumeric: 'tabular-nums' }}
              >
                {figure.value === undefined ? <Skeleton h={20} w={64} my={5} /> : figure.value}
              </Text>
              {figure.note !== undefined && (
                <Text component="dd" m={0} size="xs" c="dimmed" mih={18}>
                  {figure.note}
                </Text>
              )}
            </div>
          ),
      )}
    </dl>
  )
}
