import { Group, Loader, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { useRead } from '../../api/use-read.ts'
import { Notice } from '../../components/page/notice.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { useSession } from '../../session/session.tsx'

/** How long the reader pauses before a text is tried: at most one request for each pause. */
const PAUSE_MS = 400

/** The text to try on the newest events while the reader writes. Null: nothing can be tried. */
export function useTriedText(text: string, subscriptions: readonly string[]): string | null {
  const { can } = useSession()
  const [tried] = useDebouncedValue(text, PAUSE_MS)
  return can('events:read') && subscriptions.length > 0 && tried.trim() !== '' ? tried : null
}

interface TrialProps {
  /** Such as `Trial of the filter`. */
  readonly label: string
  /** What came of the trial. */
  readonly result: string | undefined
  readonly request: Pick<
    ReturnType<typeof useRead>,
    'data' | 'error' | 'loading' | 'stale' | 'reload'
  >
  readonly warnings: readonly string[] | undefined
  readonly children: ReactNode
}

/** What a text does with the newest events, before it is saved. */
export function Trial({ label, result, request, warnings = [], children }: TrialProps) {
  const { data, error, loading, stale, reload } = request
  const { can } = useSession()
  if (!can('events:read')) {
    return (
      <Text size="sm" c="dimmed">
        You may not read events, so there is no trial here. Posthorn checks the text when you save.
      </Text>
    )
  }
  if (error && !data) return <QueryError error={error} reload={reload} />
  return (
    <Stack gap="sm" component="section" aria-label={label}>
      <Group gap="xs" role="status" mih={30}>
        <Text size="sm" fw={600}>
          {result ?? label}
        </Text>
        {(loading || stale) && <Loader size="xs" aria-hidden />}
      </Group>
      {warnings.length > 0 && (
        <Notice color="yellow" title="Worth knowing">
          {warnings.join(' ').replaceAll('`', '')}
        </Notice>
      )}
      {children}
    </Stack>
  )
}
