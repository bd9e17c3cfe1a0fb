import { cliPage } from './cli.ts'
import { errorsPage } from './errors.ts'
import { graphqlPage, graphqlTypesPage } from './graphql.ts'
import { metricsPage } from './metrics.ts'
import { operationalEventsPage } from './operational-events.ts'
import { settingsPage } from './settings.ts'

/** The pages of the reference by name, as Markdown, each made from what Posthorn itself runs with. */
export async function referencePages(): Promise<Map<string, string>> {
  return new Map([
    ['graphql', graphqlPage()],
    ['graphql-types', graphqlTypesPage()],
    ['cli', await cliPage()],
    ['settings', settingsPage()],
    ['errors', errorsPage()],
    ['metrics', metricsPage()],
    ['operational-events', operationalEventsPage()],
  ])
}
