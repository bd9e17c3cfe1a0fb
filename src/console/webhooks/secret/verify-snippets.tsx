import { Box, Group, Tabs } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { CopyButton } from '../../components/copy-button.tsx'
import { Section } from '../../components/page/section.tsx'
import go from './snippets/verify.go.txt?raw'
import php from './snippets/verify.php.txt?raw'
import python from './snippets/verify.py.txt?raw'
import ruby from './snippets/verify.rb.txt?raw'
import typescript from './snippets/verify.ts.txt?raw'
import { withHeaderPrefix } from './with-header-prefix.ts'

const SNIPPETS = [
  { language: 'TypeScript', code: typescript },
  { language: 'Python', code: python },
  { language: 'Go', code: go },
  { language: 'Ruby', code: ruby },
  { language: 'PHP', code: php },
]

/** Example receivers that verify a delivery, in five languages. */
export function VerifySnippets({ headerPrefix }: { headerPrefix: string }) {
  const [language, setLanguage] = useLocalStorage({
    key: 'posthorn.language',
    defaultValue: 'TypeScript',
  })
  const snippets = SNIPPETS.map(({ language: name, code }) => ({
    name,
    code: withHeaderPrefix(code, headerPrefix),
  }))
  const known = SNIPPETS.some((snippet) => snippet.language === language)
  return (
    <Section
      title="Verify a delivery"
      description="The signature covers the id, the timestamp and the raw body. A receiver rejects requests without a matching signature, or with a timestamp more than 5 minutes off. The receiver responds with 2xx as soon as the event is stored."
    >
      <Tabs value={known ? language : 'TypeScript'} onChange={(name) => setLanguage(name ?? '')}>
        <Tabs.List>
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Box pos="relative">
              <Group pos="absolute" top={8} right={8} bg="var(--posthorn-sunken)">
                <CopyButton value={code} label={`Copy the ${name} code`} />
              </Group>
              <Box
                component="pre"
                className="ph-mono"
                tabIndex={0}
                role="region"
                aria-label={`${name} code`}
                m={0}
                p="md"
                mah={460}
                fz="sm"
                bg="var(--posthorn-sunken)"
                style={{ overflow: 'auto', borderRadius: 'var(--mantine-radius-md)' }}
              >
                {code}
              </Box>
            </Box>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  )
}
