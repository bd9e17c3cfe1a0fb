import { Anchor } from '@mantine/core'
import { hasDocs } from '../page-settings.ts'

/** A page of the documentation, such as `guides/console`: a link, or its file where the server has no documentation. */
export function DocsPage({ page, title }: { readonly page: string; readonly title: string }) {
  if (!hasDocs) return <span className="ph-mono">docs/{page}.md</span>
  return (
    <Anchor href={`/docs/${page}`} target="_blank" inherit underline="always">
      {title}
    </Anchor>
  )
}
