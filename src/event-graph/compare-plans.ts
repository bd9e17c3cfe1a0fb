import type { ChoicePlan, ObjectPlan, Read, ScalarPlan, SelectionPlan, ValuePlan } from './plan.ts'

const MAX_SENTENCES = 20

/**
 * What a plan takes and the plan of the same selection in another catalogue does not, or takes elsewhere: sentences. What
 * only the other one takes is no difference.
 */
export function comparePlans(was: SelectionPlan, is: SelectionPlan): string[] {
  const sentences: string[] = []
  for (const { values, plan } of was.event.cases) {
    const [name] = values
    const other = is.event.cases.find((one) => one.values.includes(name ?? ''))
    if (other) compareObjects(plan, other.plan, [String(name)], sentences)
    else sentences.push(`The event type ${name} has another type in the event graph.`)
  }
  return sentences.slice(0, MAX_SENTENCES)
}

type Path = readonly string[]

function compareObjects(was: ObjectPlan, is: ObjectPlan, path: Path, sentences: string[]): void {
  const [before, after] = [sourcesOf(was), sourcesOf(is)]
  for (const [key, { from, value }] of before) {
    const other = after.get(key)
    if (!other) {
      sentences.push(`${nameOf([...path, key])} is no longer selected.`)
    } else if (from.join('\0') !== other.from.join('\0')) {
      const [old, next] = [from, other.from].map((names) => JSON.stringify(names.at(-1)))
      sentences.push(`${nameOf([...path, key])} was the property ${old}, and is ${next}.`)
    } else {
      compareValues(value, other.value, [...path, key], sentences)
    }
  }
  if (was.typenames.length > 0 && was.typename !== is.typename) {
    sentences.push(`The type of ${nameOf(path)} was ${was.typename}, and is ${is.typename}.`)
  }
}

function compareValues(was: ValuePlan, is: ValuePlan, path: Path, sentences: string[]): void {
  if (was.kind === 'list' && is.kind === 'list') {
    compareValues(was.of, is.of, path, sentences)
  } else if (was.kind === 'object' && is.kind === 'object') {
    compareObjects(was, is, path, sentences)
  } else if (was.kind === 'choice' && is.kind === 'choice') {
    compareChoices(was, is, path, sentences)
  } else if (was.kind !== is.kind) {
    sentences.push(`${nameOf(path)} was ${NOUNS[was.kind]}, and is ${NOUNS[is.kind]}.`)
  }
}

const NOUNS: Readonly<Record<ValuePlan['kind'], string>> = {
  json: 'JSON',
  string: 'a string',
  boolean: 'a boolean',
  number: 'a number',
  list: 'a list',
  object: 'an object',
  choice: 'one of several objects',
} satisfies Record<ScalarPlan['kind'] | 'list' | 'object' | 'choice', string>

function compareChoices(was: ChoicePlan, is: ChoicePlan, path: Path, sentences: string[]): void {
  const [before, after] = [casesOf(was), casesOf(is)]
  for (const [decision, plan] of before) {
    const other = after.get(decision)
    if (other) compareObjects(plan, other, path, sentences)
    else sentences.push(`${nameOf(path)} no longer has a type for ${decision}.`)
  }
}

/** By what decides for each: `kind = "card"`, or `a property iban`. */
function casesOf(plan: ChoicePlan): Map<string, ObjectPlan> {
  if (plan.by === 'name') {
    return new Map(plan.cases.map((one) => [`a property ${one.property}`, one.plan]))
  }
  return new Map(
    plan.cases.flatMap((one) =>
      one.values.map((value) => [`${plan.property} = ${JSON.stringify(value)}`, one.plan] as const),
    ),
  )
}

interface Source {
  readonly from: Path
  readonly value: ValuePlan
}

/** Where each key has its value from. */
function sourcesOf({ keys, reads }: ObjectPlan): Map<string, Source> {
  const sources = new Map<string, Source>()
  visit(reads, [])
  return sources

  function visit(list: readonly Read[], path: Path): void {
    for (const read of list) {
      const from = [...path, read.name]
      if ('within' in read) visit(read.within, from)
      else sources.set(keys[read.key] ?? '', { from, value: read.value })
    }
  }
}

/** `order.total` of order.paid, in back-ticks: the response names from the event. */
function nameOf([type = '', ...keys]: Path): string {
  return keys.length === 0 ? type : `\`${keys.join('.')}\` of ${type}`
}
