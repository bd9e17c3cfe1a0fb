/** The sections of the site, and the order of their pages. */
export const SECTIONS: readonly Section[] = [
  {
    label: 'Get started',
    folder: 'start',
    pages: ['get-started', 'event-types', 'publish', 'receive', 'own-postgres', 'next-steps'],
  },
  {
    label: 'Concepts',
    folder: 'concepts',
    pages: [
      'events',
      'deliveries',
      'subscriptions',
      'flow-control',
      'health',
      'reliability',
      'signatures',
      'organizations',
      'live-updates',
      'queue',
      'interfaces',
    ],
  },
  {
    label: 'Guides',
    folder: 'guides',
    pages: [
      'your-event-types',
      'publish',
      'publish-in-sql',
      'filter-events',
      'choose-fields',
      'chat',
      'receive',
      'test-your-receiver',
      'rotate-secrets',
      'recover-after-an-outage',
      'embed-the-portal',
      'your-own-pages',
      'go-to-production',
      'troubleshoot',
      'moving-in',
      'mcp',
    ],
  },
  {
    label: 'In depth',
    folder: 'guides',
    pages: [
      'event-types',
      'typed-events',
      'filters',
      'event-graph',
      'changed-fields',
      'templates',
      'forwarding',
      'failures',
      'recovery',
      'alerts',
      'console',
      'portal',
      'frontends',
      'event-stream',
      'embedding',
      'own-names',
      'endpoint-verification',
    ],
  },
  {
    label: 'Reference',
    folder: 'reference',
    pages: [
      'rest',
      'graphql',
      'graphql-queries',
      'graphql-mutations',
      'graphql-subscriptions',
      'graphql-objects',
      'graphql-inputs',
      'graphql-enums',
      'graphql-errors',
      'sql',
      'cli',
      'settings',
      'errors',
      'metrics',
      'log-messages',
      'operational-events',
      'performance',
      'dependencies',
    ],
  },
  {
    label: 'Operate',
    folder: 'operate',
    pages: [
      'operating',
      'deploying',
      'sizing',
      'limits',
      'metrics',
      'tracing',
      'job-dashboards',
      'backups',
      'moving',
      'upgrading',
      'runbook',
    ],
  },
  { label: 'Security', folder: 'security', pages: ['security'] },
  { label: 'Data', folder: 'data', pages: ['data', 'data-deletion', 'erasure'] },
]

/** The pages that stand outside the sections: the first page before them, the others after them. */
export const ALONE: readonly string[] = ['index', 'compare']

export interface Section {
  readonly label: string
  /** Below `docs`. */
  readonly folder: string
  /** The names of files in the folder, without `.md`. */
  readonly pages: readonly string[]
}

const pathsOf = ({ folder, pages }: Section) => pages.map((name) => `${folder}/${name}`)

/** The section of a page, such as `guides/filters`. Undefined for a page outside the sections. */
export function sectionOf(page: string): Section | undefined {
  return SECTIONS.find((section) => pathsOf(section).includes(page))
}

/** The paths of pages in the order of the site. Throws for a page without a place. */
export function inOrder(paths: readonly string[]): string[] {
  const order = new Set(['index', ...SECTIONS.flatMap(pathsOf), ...ALONE])
  const lost = paths.find((path) => !order.has(path))
  if (lost !== undefined) throw new Error(`Add the page ${lost} to scripts/site/pages/order.ts.`)
  return [...order].filter((path) => paths.includes(path))
}
