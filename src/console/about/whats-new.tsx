import { Stack, Text, Title } from '@mantine/core'
import changelog from '../../../CHANGELOG.md?raw'
import { readChangelog, type Span, spansOf } from './changelog.ts'

const RELEASES = readChangelog(changelog)

/** The changes of each version, newest first. */
export function WhatsNew() {
  return (
    <Stack gap="lg">
      {RELEASES.map((release) => (
        <Stack key={release.name} gap="md">
          <Title order={3} size="sm">
            {release.name}
          </Title>
          {release.groups.map(({ title, items }) => (
            <div key={title}>
              <Title order={4} size="xs" c="dimmed">
                {title}
              </Title>
              <ul style={{ margin: 0, paddingInlineStart: 18 }}>
                {items.map((item) => (
                  <Text key={item} component="li" size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {spansOf(item).map((span, index) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line stay as they are
                      <Marked key={index} span={span} />
                    ))}
                  </Text>
                ))}
              </ul>
            </div>
          ))}
        </Stack>
      ))}
    </Stack>
  )
}

function Marked({ span: { kind, text } }: { span: Span }) {
  if (kind === 'code') return <code className="ph-mono">{text}</code>
  return kind === 'emphasis' ? <em>{text}</em> : text
}
