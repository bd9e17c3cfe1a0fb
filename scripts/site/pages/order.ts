/** The sections of the site, and the order of their pages. A page that none names is in the last section of its folder. */
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

/** The section of a page, such as `guides/filters`. Undefined for a page outside the sections. */
export function sectionOf(page: string): Section | undefined {
  const { folder, name } = partsOf(page)
  return (
    SECTIONS.find((one) => one.folder === folder && one.pages.includes(name)) ??
    SECTIONS.findLast((one) => one.folder === folder)
  )
}

/** The paths of pages in the order of the site. Those that no section names come last in their section. */
export function inOrder(paths: readonly string[]): string[] {
  return paths.toSorted((one, other) => {
    const [a, b] = [placeOf(one), placeOf(other)]
    return a.section - b.section || a.at - b.at || one.localeCompare(other, 'en')
  })
}

function placeOf(page: string) {
  const section = sectionOf(page)
  if (section === undefined) return { section: page === 'index' ? -1 : SECTIONS.length, at: 0 }
  const at = section.pages.indexOf(partsOf(page).name)
  return { section: SECTIONS.indexOf(section), at: at < 0 ? section.pages.length : at }
}

function partsOf(page: string) {
  const slash = page.indexOf('/')
  return { folder: page.slice(0, Math.max(slash, 0)), name: page.slice(slash + 1) }
}
