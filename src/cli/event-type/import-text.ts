import type { Finding } from '../../event-types/catalogue/findings.ts'
import type {
  CatalogueImport,
  CatalogueImportOptions,
} from '../../event-types/catalogue/import-catalogue.ts'

type Change = CatalogueImport['changes'][number]

const SIGNS = { added: '+', changed: '~', archived: '-', unarchived: '+' } as const

/** The difference for people: a line for each event type, and its findings below. */
export function importText(
  { changes, unchanged, refused, warnings, written }: CatalogueImport,
  { dryRun }: CatalogueImportOptions,
): string {
  const findings = changes.flatMap((change) => change.findings)
  return [
    ...changes.flatMap(changeLines),
    ...refused.map(({ problem }) => `✘ not imported: ${problem}`),
    ...warnings.map(({ problem }) => `! imported without its example: ${problem}`),
    summary(),
    ...advice(),
  ].join('\n')

  function summary(): string {
    const kinds = ['added', 'changed', 'archived', 'unarchived'] as const
    const counts = kinds.map((kind) => ({
      kind,
      count: changes.filter((one) => one.change === kind).length,
    }))
    const listed = counts
      .filter(({ count }) => count > 0)
      .map(({ kind, count }) => `${count} ${kind}`)
    const left = new Set(refused.map(({ name }) => name)).size
    const others = [`${unchanged} unchanged`, ...(left > 0 ? [`${left} not imported`] : [])]
    return `Event types: ${[...listed, ...others].join(', ')}.`
  }

  function advice(): string[] {
    if (written || changes.length === 0) return []
    if (findings.length === 0) return ['Nothing was written: this is a dry run.']
    const remedy = dryRun ? 'An import needs --force.' : 'To import all the same, add --force.'
    return [`Nothing was written. Problems: ${findings.length}. ${remedy}`]
  }
}

function changeLines({ name, change, fields, findings }: Change): string[] {
  const shown = change === 'changed' ? `: ${fields.join(', ')}` : ''
  return [`${SIGNS[change]} ${name} ${change}${shown}`, ...findings.map(findingLine)]
}

function findingLine({ kind, message, remedy }: Finding): string {
  return `    ${kind}: ${message} ${remedy}`
}

export function importJson({ changes, ...rest }: CatalogueImport) {
  return { changes: changes.map(changeJson), ...rest }
}

function changeJson({ name, change, fields, findings }: Change) {
  return {
    name,
    change,
    fields,
    findings: findings.map(({ eventId, webhookIds, ...finding }) => ({
      ...finding,
      ...(eventId !== undefined && { event_id: eventId }),
      ...(webhookIds !== undefined && { webhook_ids: webhookIds }),
    })),
  }
}
