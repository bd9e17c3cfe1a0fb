import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './explore.css'
import { Code, Group, useComputedColorScheme } from '@mantine/core'
import { GraphiQL } from 'graphiql'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Page } from '../components/page/page.tsx'
import { useSession } from '../session/session.tsx'
import { Credentials } from './credentials.tsx'
import { EXAMPLE_TABS } from './examples.ts'
import { createFetcher } from './fetcher.ts'
import { GRAPH_PATHS, type Graph, GraphSwitch } from './graph.tsx'
import { EDITOR_THEME } from './monaco.ts'
import { tabStorage } from './tab-storage.ts'

/** GraphiQL, with the examples of the documentation as tabs. */
export default function ExplorePage() {
  const { viewer } = useSession()
  const scheme = useComputedColorScheme('light')
  const token = useRef<string | null>(null)
  const [graph, setGraph] = useState<Graph>('api')
  const fetcher = useMemo(() => createFetcher(GRAPH_PATHS[graph], () => token.current), [graph])
  const owner = `${viewer.apiKey.id}:${viewer.organization.id}`
  const storage = useMemo(
    () => tabStorage(graph === 'api' ? owner : `${owner}:${graph}`),
    [owner, graph],
  )
  useEffect(() => fetcher.closeStreams, [fetcher])

  return (
    <Page
      title="Explore"
      description={
        <>
          Run operations of the GraphQL API at <Code>/graphql</Code>, or on the events of the
          catalogue at <Code>/graphql/events</Code>. The tabs show examples. Tabs and history last
          until you close this browser tab.
        </>
      }
      actions={
        <Group gap={8}>
          <GraphSwitch graph={graph} onChange={setGraph} />
          <Credentials
            onChange={(given) => {
              token.current = given
            }}
          />
        </Group>
      }
    >
      <div className="ph-explore">
        <GraphiQL
          key={graph}
          fetcher={fetcher.fetch}
          storage={storage}
          defaultTabs={EXAMPLE_TABS[graph]}
          forcedTheme={scheme}
          editorTheme={EDITOR_THEME}
          defaultEditorToolsVisibility
          // A token in the headers of a tab would enter the history.
          isHeadersEditorEnabled={false}
          showPersistHeadersSettings={false}
          inputValueDeprecation
          schemaDescription
        >
          <GraphiQL.Logo>{null}</GraphiQL.Logo>
        </GraphiQL>
      </div>
    </Page>
  )
}
