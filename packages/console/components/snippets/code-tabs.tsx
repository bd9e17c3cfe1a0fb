import { Tabs, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { CopyableCode } from '../json/code-block.tsx'
import type { Snippet } from './api-request.ts'

interface CodeTabsProps {
  readonly snippets: readonly Snippet[]
  /** Where the browser keeps the chosen language. */
  readonly storedAs: string
  /** What the code in a language needs to run. */
  needs?(language: string): string
}

/** The same program in several languages, each with a button that copies it. */
export function CodeTabs({ snippets, storedAs, needs }: CodeTabsProps) {
  const first = snippets[0]?.language ?? ''
  const [chosen, setChosen] = useLocalStorage({ key: storedAs, defaultValue: first })
  const shown = snippets.some(({ language }) => language === chosen) ? chosen : first
  return (
    <Tabs value={shown} onChange={(name) => name && setChosen(name)}>
      <Tabs.List>
        {snippets.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ language, code }) => (
        <Tabs.Panel key={language} value={language} pt="sm">
          <CopyableCode
            code={code}
            label={`${language} code`}
            maxHeight={460}
            copy={`Copy the ${language} code`}
            copied={code}
          />
          {needs && (
            <Text size="xs" c="dimmed" mt={6}>
              {needs(language)}
            </Text>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
