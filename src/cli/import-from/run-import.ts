import { COMMAND_LINE } from '../../access/actor.ts'
import { DomainError } from '../../lib/errors.ts'
import type { FormerOrganization } from '../../moving-in/former-sender.ts'
import type { ImportedObject, ImportRules } from '../../moving-in/import-former.ts'
import { withServices } from '../run-command.ts'

export interface ImportOptions {
  readonly dryRun?: boolean
  readonly enable?: boolean
  readonly createEventTypes?: boolean
  readonly json?: boolean
}

/**
 * Imports the records one after the other and prints a line for each object when it is written, so that also the report of
 * a command that was killed is true. The exit code is 1 if something was left out.
 */
export async function runImport(
  records: AsyncIterable<Record<string, unknown>>,
  parse: (record: unknown, headerPrefix: string) => FormerOrganization,
  options: ImportOptions,
): Promise<void> {
  const { importFormer } = await import('../../moving-in/import-former.ts')
  const rules: ImportRules = {
    enables: options.enable === true,
    createsEventTypes: options.createEventTypes === true,
    isDryRun: options.dryRun === true,
  }
  const counts = { created: 0, existing: 0, 'left out': 0 }
  const report = (object: ImportedObject) => {
    counts[object.outcome] += 1
    const text = options.json ? JSON.stringify(toJson(object)) : toText(object, rules.isDryRun)
    process.stdout.write(`${text}\n`)
  }
  await withServices(async ({ webhooks }) => {
    const deps = { ...webhooks, actor: COMMAND_LINE }
    for await (const record of records) {
      const former = parsed(record, (one) => parse(one, webhooks.headerPrefix ?? 'wh-'))
      if ('outcome' in former) report(former)
      else for await (const object of importFormer(deps, former, rules)) report(object)
    }
  })
  if (!options.json) process.stdout.write(`${summary(counts, rules.isDryRun)}\n`)
  if (counts['left out'] > 0) process.exitCode = 1
}

function parsed(
  record: Record<string, unknown>,
  parse: (record: unknown) => FormerOrganization,
): FormerOrganization | ImportedObject {
  try {
    return parse(record)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const name = String(record['uid'] ?? record['id'] ?? 'without an id')
    const lacks = [`The record has another form than the API documents: ${error.message}`]
    return { kind: 'organization', name, outcome: 'left out', id: null, enabled: null, lacks }
  }
}

function toJson({ kind, name, outcome, id, enabled, lacks }: ImportedObject) {
  return {
    kind: kind.replace(' ', '_'),
    name,
    outcome: outcome.replace(' ', '_'),
    id,
    enabled,
    lacks,
  }
}

function toText({ kind, name, outcome, id, enabled, lacks }: ImportedObject, isDryRun: boolean) {
  const done = isDryRun && outcome === 'created' ? 'would create' : outcome
  const state = enabled === null ? '' : enabled ? ' (enabled)' : ' (disabled)'
  const line = [`${done.padEnd(8)} ${kind} ${name}`, id && ` ${id}`, state].filter(Boolean).join('')
  return [line, ...lacks.map((lack) => `         ${lack}`)].join('\n')
}

function summary(counts: Readonly<Record<ImportedObject['outcome'], number>>, isDryRun: boolean) {
  const created = isDryRun ? 'The import would create' : 'Created'
  return `${created} ${counts.created}. Already here: ${counts.existing}. Left out: ${counts['left out']}.`
}
