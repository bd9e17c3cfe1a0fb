import { Box, Tabs, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { CopyButton } from '../components/copy-button.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { publishSnippets } from './publish-code.ts'

interface PublishSnippetsProps {
  readonly type: string
  /** The data of the event. */
  readonly example: unknown
}

/** Code that publishes an event of this type for the reader's organization, in four languages. */
export function PublishSnippets({ type, example }: PublishSnippetsProps) {
  const { viewer } = useSession()
  const [chosen, setChosen] = useLocalStorage({ key: 'posthorn.publish-in', defaultValue: 'curl' })
  const snippets = publishSnippets({
    origin: location.origin,
    organizationId: viewer.organization.id,
    actsFor: mount.organizationId !== null,
    type,
    data: example ?? {},
  })
  const language = snippets.some((one) => one.language === chosen) ? chosen : 'curl'
  return (
    <Tabs value={language} onChange={(name) => name && setChosen(name)}>
      <Tabs.List>
        {snippets.map((snippet) => (
          <Tabs.Tab key={snippet.language} value={snippet.language}>
            {snippet.language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.language} value={snippet.language} pt="sm">
          <Box pos="relative">
            <Box pos="absolute" top={6} right={6} bg="var(--posthorn-sunken)">
              <CopyButton
                value={snippet.code}
                label={t('onboarding:snippets.copy', { language: snippet.language })}
              />
            </Box>
            <CodeBlock
              code={snippet.code}
              label={t('onboarding:snippets.code', { language: snippet.language })}
            />
          </Box>
          <Text size="xs" c="dimmed" mt={6}>
            {t(
              snippet.language === 'SQL'
                ? 'onboarding:snippets.sqlNeeds'
                : 'onboarding:snippets.needs',
            )}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
