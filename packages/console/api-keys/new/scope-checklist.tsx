import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useSession } from '../../session/session.tsx'
import { PRESETS, SCOPES } from '../scopes.ts'

interface ScopeChecklistProps {
  readonly chosen: readonly string[]
  readonly error: string | undefined
  onChange(chosen: readonly string[]): void
}

/** Picks the scopes of a new key. A viewer can only grant scopes that their own key has. */
export function ScopeChecklist({ chosen, error, onChange }: ScopeChecklistProps) {
  const { can } = useSession()
  const all = chosen.includes('admin')
  return (
    <Checkbox.Group
      label="Scopes"
      description="Choose only what the program needs."
      value={[...chosen]}
      onChange={onChange}
      error={error}
    >
      <Group gap="xs" my="sm" role="group" aria-label="Scope presets">
        {PRESETS.map(({ label, scopes }) => {
          const given = scopes.filter(can)
          const active = given.length === chosen.length && given.every((s) => chosen.includes(s))
          return (
            <Button
              key={label}
              size="compact-sm"
              variant={active ? 'filled' : 'default'}
              aria-pressed={active}
              disabled={given.length === 0}
              onClick={() => onChange(given)}
            >
              {label}
            </Button>
          )
        })}
      </Group>
      <Stack gap={8} mb={4}>
        {SCOPES.map(([scope, sentence]) => (
          <Checkbox
            key={scope}
            value={scope}
            disabled={!can(scope)}
            label={
              <>
                <span className="ph-mono">{scope}</span>{' '}
                <Text span size="sm" c="dimmed">
                  {sentence}
                  {!can(scope) && ' Your own key does not have this scope.'}
                </Text>
              </>
            }
          />
        ))}
      </Stack>
      {all && (
        <Text size="sm" c="dimmed">
          <span className="ph-mono">admin</span> includes all other scopes.
        </Text>
      )}
    </Checkbox.Group>
  )
}
