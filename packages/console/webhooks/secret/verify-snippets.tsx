import { Section } from '../../components/page/section.tsx'
import { CodeTabs } from '../../components/snippets/code-tabs.tsx'
import go from './snippets/verify.go.txt?raw'
import php from './snippets/verify.php.txt?raw'
import python from './snippets/verify.py.txt?raw'
import ruby from './snippets/verify.rb.txt?raw'
import typescript from './snippets/verify.ts.txt?raw'
import { withHeaderPrefix } from './with-header-prefix.ts'

const SNIPPETS = { TypeScript: typescript, Python: python, Go: go, Ruby: ruby, PHP: php }

/** Example receivers that verify a delivery, in five languages. */
export function VerifySnippets({ headerPrefix }: { headerPrefix: string }) {
  return (
    <Section
      title="Verify a delivery"
      description="The signature covers the id, the timestamp and the raw body. A receiver rejects requests without a matching signature, or with a timestamp more than 5 minutes off. The receiver responds with 2xx as soon as the event is stored."
    >
      <CodeTabs
        snippets={Object.entries(SNIPPETS).map(([language, code]) => ({
          language,
          code: withHeaderPrefix(code, headerPrefix),
        }))}
        storedAs="posthorn.language"
      />
    </Section>
  )
}
