import { cliPage } from './cli.ts'
import { errorsPage } from './errors.ts'
import { graphqlPages } from './graphql.ts'
import { metricsPage } from './metrics.ts'
import { operationalEventsPage } from './operational-events.ts'
import { restPage } from './rest.ts'
import { settingsPage } from './settings.ts'
import { sqlPage } from './sql.ts'

/** The pages of the reference by name, as Markdown, each made from what Posthorn itself runs with. */
export async function referencePages(): Promise<Map<string, string>> {
  return new Map([
    ['rest', restPage()],
    ...graphqlPages(),
    ['sql', sqlPage()],
    ['cli', await cliPage()],
    ['settings', settingsPage()],
    ['errors', errorsPage()],
    ['metrics', metricsPage()],
    ['operational-events', operationalEventsPage()],
  ])
}
