import { SegmentedControl } from '@mantine/core'

/** What Explore runs operations on: the API, or the events of the catalogue. */
export type Graph = 'api' | 'events'

export const GRAPH_PATHS: Readonly<Record<Graph, string>> = {
  api: '/graphql',
  events: '/graphql/events',
}

interface GraphSwitchProps {
  readonly graph: Graph
  onChange(graph: Graph): void
}

export function GraphSwitch({ graph, onChange }: GraphSwitchProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Graph"
      value={graph}
      onChange={(chosen) => onChange(chosen === 'events' ? 'events' : 'api')}
      data={[
        { value: 'api', label: 'API' },
        { value: 'events', label: 'Events' },
      ]}
    />
  )
}
